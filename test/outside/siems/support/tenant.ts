/** The example tenant: events that the function sends from the embedded API simulator, with removals, a restored row and an event without its row. */
import { connector } from '../../../support/function/connector.ts';
import { putBreakers, runAll } from './corpus.ts';

export interface Tenant {
  /** Events of the example tenant. */
  readonly lines: readonly string[];
  /** Rows with none of its members, and values that a naive mapping refuses. */
  readonly others: readonly string[];
}

export async function exampleTenant(): Promise<Tenant> {
  await using each = await connector();
  const { simulator } = each;
  simulator.populate({ assets: 120, threats: 240, dnsBlocks: 200 });
  await runAll(each);
  for (const id of ['asset-2', 'asset-3']) simulator.remove('assets', id);
  await runAll(each);
  simulator.restore('assets', 'asset-3');
  await runAll(each);
  const lines = await each.lines();
  putBreakers(simulator);
  await runAll(each);
  return { lines, others: (await each.lines()).filter(line => !lines.includes(line)) };
}

/** Members of an event before its row. */
export function headOf(line: string): Readonly<Record<string, string>> {
  const at = line.indexOf(',"row":');
  return JSON.parse(at < 0 ? line : `${line.slice(0, at)}}`);
}

export function rowOf(line: string): unknown {
  return JSON.parse(line).row;
}
