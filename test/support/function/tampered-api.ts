import type { ApiSimulator } from '../../../local/api-simulator/simulator.ts';
import { createTamperableAnswers, type TamperableAnswers } from '../../../local/incidents/tampered-api.ts';
import { type HttpHarness, httpHarness } from './http-harness.ts';

export interface TamperedApi extends HttpHarness, Pick<TamperableAnswers, 'tamper'> {}

/**
 * The simulated API behind a proxy that may answer in its place, and remembers what it was asked.
 */
export async function tamperedApi(simulator: ApiSimulator): Promise<TamperedApi> {
  const { answer, tamper } = createTamperableAnswers(simulator);
  return { ...(await httpHarness(answer)), tamper };
}
