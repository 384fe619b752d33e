import { leaseKey } from '../../../lambda/store/item.ts';
import { pass } from '../../support/function/aws-scene.ts';
import type { Connector } from '../../support/function/connector.ts';

export interface PutLease {
  readonly expires: number;
  readonly ended: 'no' | 'clean' | 'dirty';
}

/** As if another run had left the lease like this. */
export async function putLease({ table }: Connector, { expires, ended }: PutLease): Promise<void> {
  const members = { epoch: { N: '7' }, holder: { S: 'another' }, expires: { N: String(expires) }, ended: { S: ended } };
  await table.put([{ ...leaseKey, ...members }], pass);
}

/** In the future by every clock of a test. */
export const FAR = Date.parse('2099-01-01T00:00:00.000Z');
