import type { Platform } from '../../../local/api-simulator/platform.ts';
import { type Tampered, tampered } from '../../../local/incidents/tampered-api.ts';
import { type HttpHarness, httpHarness } from './http-harness.ts';

export interface TamperedApi extends HttpHarness, Pick<Tampered, 'tamper'> {}

/** The platform's API behind a proxy that may answer in its place, and remembers what it was asked. */
export async function tamperedApi(platform: Platform): Promise<TamperedApi> {
  const { answer, tamper } = tampered(platform);
  return { ...(await httpHarness(answer)), tamper };
}
