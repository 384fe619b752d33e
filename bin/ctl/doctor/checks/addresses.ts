import { type Fetch, networkCode } from '../../../../lambda/source/http.ts';
import { tokenEndpoint } from '../../../../lambda/source/token.ts';
import { STREAMS } from '../../../../lambda/streams.ts';
import { findCdkJson } from '../cdk-json.ts';
import { type Check, type Finding, ok, warn } from '../check.ts';
import type { DoctorContext } from '../patient.ts';
import { readContext } from './configuration.ts';

const TIMEOUT_MILLISECONDS = 10_000;

/** Before there are credentials: whoever asks without them must be refused, and in the right way. */
export const addresses: Check<DoctorContext> = {
  name: 'addresses',
  needs: ['configuration'],
  look: async ({ fetch, signal }) => addressesFinding(await readContext((await findCdkJson())!), fetch, signal),
};

type Place = { readonly baseUrl: string; readonly authUrl: string };

export async function addressesFinding(places: readonly Place[], fetch: Fetch, signal: AbortSignal): Promise<Finding> {
  const asked = places.flatMap(({ baseUrl, authUrl }) => [
    { url: `${baseUrl.replace(/\/+$/, '')}${STREAMS[0].path}`, method: 'GET', expected: [401] },
    { url: tokenEndpoint(authUrl), method: 'POST', expected: [400, 401] },
  ]);
  const faults = (await Promise.all(asked.map(each => faultOf(each, fetch, signal)))).filter(Boolean);
  if (faults.length === 0) return ok('API and token endpoint answer here, and refuse whoever bears no credentials');
  const remedy =
    'Check baseUrl and authUrl. The function may reach what this machine does not, and the other way round.';
  return warn(faults.join('; '), remedy);
}

interface Asked {
  readonly url: string;
  readonly method: string;
  readonly expected: readonly number[];
}

async function faultOf(
  { url, method, expected }: Asked,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const both = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)]);
    const { status, body } = await fetch(url, { method, redirect: 'manual', signal: both });
    await body?.cancel();
    return expected.includes(status) ? undefined : `${url} answered ${status}`;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return `${url} does not answer (${networkCode(error) ?? 'no answer in time'})`;
  }
}
