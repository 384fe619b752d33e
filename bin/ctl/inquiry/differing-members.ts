/** Which members of two rows differ, seen as the connector's digest sees them: to the last digit, blind to order. */
import { type CutMember, cutBody } from '../../../lambda/core/json/cutter.ts';

export interface DifferingMember {
  readonly name: string;
  /** JSON text, as it was sent; absent where the row has no such member. */
  readonly api: string | undefined;
  readonly siem: string | undefined;
}

const NOTHING = { wanted: [], excluded: '' };
/** Null on single reads, and no part of what a row says. */
const POSITION = 'stream_position';

/** In the order of the API's row, then those that only the SIEM has. @throws JsonError unless both are JSON objects */
export function differingMembers(api: string, siem: string): DifferingMember[] {
  const [ours, theirs] = [membersOf(api), membersOf(siem)];
  const names = [...new Set([...ours.keys(), ...theirs.keys()])].filter(name => name !== POSITION);
  return names
    .map(name => ({ name, api: ours.get(name), siem: theirs.get(name) }))
    .filter(each => canonical(each.api) !== canonical(each.siem));
}

/** Of several members of one name the last counts. */
function membersOf(text: string): Map<string, string> {
  const source = Buffer.from(text);
  const cut = ({ name, start, end }: CutMember): [string, string] => [name, source.toString('utf8', start, end)];
  return new Map(cutBody(source, NOTHING).map(cut));
}

function canonical(json: string | undefined): string | undefined {
  if (json === undefined) return undefined;
  return cutBody(Buffer.from(`{"a":[${json}]}`), NOTHING)[0]!.elements![0]!.canonical;
}
