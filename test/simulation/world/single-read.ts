/** What the API answers to a single read. */
import type { Platform } from '../../../local/platform/platform.ts';
import { createRowWriter } from '../../../local/platform/rows.ts';
import { asRead } from './edition.ts';
import type { NetworkHooks } from './network.ts';

const SINGLE = /^\/v1\/(assets|threats)\/([^/]+)$/;

/** Of what no list shows any more the specification does not say whether it can be read. */
export async function singleRead(
  url: string,
  response: Response,
  { platform, history, release }: Pick<NetworkHooks, 'platform' | 'history' | 'release'>,
): Promise<Response> {
  const [, stream, id = ''] = SINGLE.exec(new URL(url).pathname) ?? [];
  if (!stream) return response;
  if (response.status === 200) return new Response(asRead(await response.text(), release), { status: 200 });
  const row =
    response.status === 404 && history.letters?.showsGone && lastRow(platform, stream, decodeURIComponent(id));
  return row ? new Response(asRead(row, release), { status: 200 }) : response;
}

function lastRow({ tenantData, settings }: Platform, stream: string, id: string): string | undefined {
  const rows = createRowWriter(settings.threatAssetMember, () => '');
  const version = tenantData[stream as 'assets' | 'threats'].latest.get(id);
  return version && (stream === 'assets' ? rows.asset(version, 'null') : rows.threat(version, 'null'));
}
