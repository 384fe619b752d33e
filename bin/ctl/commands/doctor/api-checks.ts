/** Checks of the API: secret, token, and one row of each list. They save nothing. */

import { ApiRefusedError } from '../../../../lambda/core/errors.ts';
import type { PageContent } from '../../../../lambda/core/page.ts';
import { readRow } from '../../../../lambda/core/row.ts';
import { printableList, printableText } from '../../../../lambda/issue-text.ts';
import { STREAMS, type StreamName, streamOf } from '../../../../lambda/streams.ts';
import { sha256 } from '../../../../lambda/system.ts';
import { CONNECTORCTL } from '../../../../lib/installation.ts';
import { PLACEHOLDER } from '../../../../lib/placeholder.ts';
import { createCheck, type DoctorContext, type Finding, fail, ok, skipped, warn } from './context.ts';

export const apiListChecks = STREAMS.map(({ name }) =>
  createCheck(`list-${name}`, ['token'], async context => listFinding(context, name)),
);

async function listFinding(context: DoctorContext, name: StreamName): Promise<Finding> {
  try {
    const page = await context.firstPage(name);
    return page ? pageFinding(page, name) : skipped(`the stream is off: ${optionOf(name)} is not set`);
  } catch (error) {
    if (!(error instanceof ApiRefusedError) || error.status !== 404) throw error;
    return fail('the API does not know the path (404)', `Correct ${optionOf(name)} and deploy again.`);
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

export const secretCheck = createCheck('secret', ['settings'], async context => {
  const { clientId, clientSecret } = await (await context.access()).credentials();
  if (clientId === PLACEHOLDER || clientSecret === PLACEHOLDER) {
    return fail(
      'the secret still has the placeholder: no credentials were stored',
      `"${CONNECTORCTL.command} set-credentials" stores the client credentials.`,
    );
  }
  return ok('the secret has client credentials');
});

export const tokenCheck = createCheck('token', ['secret'], async context => {
  await (await context.access()).token();
  return ok('the token endpoint accepts the credentials');
});

const MOST_MEMBERS = 40;

/**
 * Checks the member that names a threat's asset, because a threat can be withdrawn with its asset
 * only if the asset is known.
 */
export const threatAssetCheck = createCheck('threat-asset', ['list-threats'], async context => {
  const [element] = (await context.firstPage('threats'))?.rows ?? [];
  const row = element && readRow(element, streamOf('threats'), sha256);
  if (!row || 'reason' in row) return skipped('the API has no threat yet');
  const { threatAssetField } = (await context.access()).settings;
  if (row.parent !== undefined) return ok(`threats name their asset in "${threatAssetField}"`);
  const names = Object.keys(JSON.parse(row.text) as object).map(name => `"${printableText(name)}"`);
  return fail(
    `the first threat names no asset in "${threatAssetField}"; its members are ${printableList(names, ', ', MOST_MEMBERS)}`,
    `Set threatAssetField, deploy, and run "${CONNECTORCTL.command} resync threats".`,
  );
});
