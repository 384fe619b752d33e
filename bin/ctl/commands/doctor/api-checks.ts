/** Checks of the API: addresses, secret, token, and one row of each list. They save nothing. */

import { connectionFault } from '../../../../lambda/core/connection-fault.ts';
import { ApiRefusedError } from '../../../../lambda/core/errors.ts';
import type { PageContent } from '../../../../lambda/core/page.ts';
import { readRow } from '../../../../lambda/core/row.ts';
import { shownList, shownText } from '../../../../lambda/issue-text.ts';
import type { Fetch } from '../../../../lambda/source/http.ts';
import { tokenEndpoint } from '../../../../lambda/source/token.ts';
import { STREAMS, type StreamName, streamOf } from '../../../../lambda/streams.ts';
import { sha256 } from '../../../../lambda/system.ts';
import { CONNECTORCTL } from '../../../../lib/installation.ts';
import { PLACEHOLDER } from '../../../../lib/placeholder.ts';
import { CONNECTION_ADVICE } from '../../errors.ts';
import { check, type DoctorContext, type Finding, fail, ok, skipped, warn } from './context.ts';
import { readContext } from './preflight-checks.ts';

export const lists = STREAMS.map(({ name }) =>
  check(`list-${name}`, ['token'], async context => listFinding(context, name)),
);

async function listFinding(context: DoctorContext, name: StreamName): Promise<Finding> {
  try {
    const page = await context.firstPage(name);
    return page ? pageFinding(page, name) : skipped(`the stream is off: ${optionOf(name)} is not set`);
  } catch (error) {
    if (!(error instanceof ApiRefusedError) || error.status !== 404) throw error;
    return fail('the API does not know the path (404)', `Correct ${optionOf(name)} in cdk.json and deploy again.`);
  }
}

/** The option that sets the path of the list. */
function optionOf(name: StreamName): string {
  return streamOf(name).pathOption ?? 'baseUrl';
}

function pageFinding({ rows, names }: PageContent, name: StreamName): Finding {
  const pagination = names.pagination === '' ? 'the answer itself' : `"${names.pagination}"`;
  const [row] = rows;
  if (!row)
    return ok(`readable and empty; pagination in ${pagination}, the member of the rows is known with the first row`);
  const stream = streamOf(name);
  const text = `readable; rows in "${names.rows}", pagination in ${pagination}`;
  const read = readRow(row, stream, sha256);
  if ('reason' in read)
    return warn(
      `${text}; the first row cannot become an event (${read.reason})`,
      'See "dead-letters" in docs/runbook.md.',
    );
  if (read.time !== undefined) return ok(text);
  return warn(
    `${text}; the first row has no ${stream.timeMember}`,
    'Check that this is the path of the list. Its events would have no time.',
  );
}

const TIMEOUT_MILLISECONDS = 10_000;

/** Requests without credentials must be refused with the expected status. */
export const addresses = check('addresses', ['configuration'], async ({ fetch, signal, shell }) =>
  addressesFinding(await readContext(shell.folder), fetch, signal),
);

type Place = { readonly baseUrl: string; readonly authUrl: string };

export async function addressesFinding(places: readonly Place[], fetch: Fetch, signal: AbortSignal): Promise<Finding> {
  const asked = places.flatMap(({ baseUrl, authUrl }) => [
    { url: `${baseUrl.replace(/\/+$/, '')}${STREAMS[0].path}`, method: 'GET', expected: [401] },
    { url: tokenEndpoint(authUrl), method: 'POST', expected: [400, 401] },
  ]);
  const faults = (await Promise.all(asked.map(each => faultOf(each, fetch, signal)))).filter(
    fault => fault !== undefined,
  );
  if (faults.length === 0) return ok('API and token endpoint answer, and refuse requests without credentials');
  const advice = [...new Set(faults.map(fault => fault.advice))].join(' ');
  const remedy = `${advice} The network of the function may differ from the network of this machine.`;
  return warn(faults.map(({ text }) => text).join('; '), remedy);
}

interface Asked {
  readonly url: string;
  readonly method: string;
  readonly expected: readonly number[];
}

interface AddressFault {
  readonly text: string;
  readonly advice: string;
}

const CHECK_ADDRESS = 'Check baseUrl and authUrl.';

async function faultOf(
  { url, method, expected }: Asked,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<AddressFault | undefined> {
  try {
    const both = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)]);
    const { status, body } = await fetch(url, { method, redirect: 'manual', signal: both });
    await body?.cancel();
    return expected.includes(status) ? undefined : { text: `${url} answered ${status}`, advice: CHECK_ADDRESS };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const fault = connectionFault(error);
    const text = `${url} does not answer: ${fault?.what ?? 'no answer in time'}`;
    return { text, advice: fault?.of ? CONNECTION_ADVICE[fault.of] : CHECK_ADDRESS };
  }
}

export const secret = check('secret', ['settings'], async context => {
  const { clientId, clientSecret } = await (await context.access()).credentials();
  if (clientId === PLACEHOLDER || clientSecret === PLACEHOLDER) {
    return fail(
      'it still has the placeholder: it was never set',
      `"${CONNECTORCTL.command} set-credentials" stores the client credentials.`,
    );
  }
  return ok('it has client credentials');
});

export const token = check('token', ['secret'], async context => {
  await (await context.access()).token();
  return ok('the token endpoint accepts the credentials');
});

const MOST_MEMBERS = 40;

/** Without that member the threats of a removed asset cannot be withdrawn. */
export const threatAsset = check('threat-asset', ['list-threats'], async context => {
  const [element] = (await context.firstPage('threats'))?.rows ?? [];
  const row = element && readRow(element, streamOf('threats'), sha256);
  if (!row || 'reason' in row) return skipped('the API has no threat yet');
  const { threatAssetField } = (await context.access()).settings;
  if (row.parent !== undefined) return ok(`threats name their asset in "${threatAssetField}"`);
  const names = Object.keys(JSON.parse(row.text) as object).map(name => `"${shownText(name)}"`);
  return fail(
    `the first threat names no asset in "${threatAssetField}"; its members are ${shownList(names, ', ', MOST_MEMBERS)}`,
    `Set threatAssetField in cdk.json, deploy, and run "${CONNECTORCTL.command} resync threats".`,
  );
});
