/**
 * The example tenant: events that the function sends from the embedded API simulator, with
 * removals, a restored row and an event without its row.
 */
import type { Truth } from '../../../../local/api-simulator/truth.ts';
import { connector } from '../../../support/function/connector.ts';
import { putBreakers, runAll } from './corpus.ts';

export interface Tenant {
  /** Events of the example tenant. */
  readonly lines: readonly string[];
  /** Rows with none of its members, and values that a naive mapping refuses. */
  readonly others: readonly string[];
  /** Rows of the API after both. */
  readonly truth: Truth;
}

/** @param assets further rows among the others */
export async function exampleTenant(assets: readonly string[] = []): Promise<Tenant> {
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
  for (const row of assets) simulator.put('assets', row);
  await runAll(each);
  const others = (await each.lines()).filter(line => !lines.includes(line));
  return { lines, others, truth: simulator.truth() };
}

/** Members of an event before its row. */
export function headOf(line: string): Readonly<Record<string, string>> {
  const at = line.indexOf(',"row":');
  return JSON.parse(at < 0 ? line : `${line.slice(0, at)}}`);
}

export function rowOf(line: string): unknown {
  return JSON.parse(line).row;
}
