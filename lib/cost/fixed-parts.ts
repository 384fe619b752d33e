import { DEFAULTS } from '../defaults.ts';
import type { Fixed } from './bill.ts';

/** What a stack has whatever flows, with and without the stream of DNS blocks; a test holds it equal to the template. */
export function fixedParts({ dnsBlocks }: { readonly dnsBlocks: boolean }): Fixed {
  return {
    memoryMegabytes: DEFAULTS.memoryMegabytes,
    alarms: dnsBlocks ? 33 : 27,
    compositeAlarms: 2,
    dashboards: 1,
    secrets: 1,
    bufferMegabytes: 64,
    retentionMonths: DEFAULTS.retentionDays / 30.4,
  };
}
