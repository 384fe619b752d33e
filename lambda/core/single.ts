/** The row in the answer of a single read. */
import { ContractError, JsonError } from './errors.ts';
import { type CutElement, type CutMember, type CutOptions, cutBody } from './json/cutter.ts';

/**
 * The row may stand alone, or as the one object within the answer: the specification does not say. `stream_position` is null
 * here, and a row's digest is blind to it.
 *
 * @param cut whose first wanted member is `id`
 * @throws ContractError when there is no such row
 */
export function singleRow(answer: string, path: string, cut: CutOptions): CutElement {
  const source = Buffer.from(answer);
  const whole = rowOf(answer, path, cut);
  if (whole.wanted(0) !== undefined) return whole;
  const inner = membersOf(source, path, cut)
    .map(member => rowOf(source.toString('utf8', member.start, member.end), path, cut))
    .filter(each => each.isObject);
  if (inner.length === 1 && inner[0]!.wanted(0) !== undefined) return inner[0]!;
  throw new ContractError(path, 'neither the answer nor its one object has an id');
}

/** The one element that a row's text is. @throws ContractError when it is not JSON */
export function rowOf(text: string, path: string, cut: CutOptions): CutElement {
  const members = membersOf(Buffer.from(`{"rows":[${text}]}`), path, cut);
  const [only, ...others] = members[0]?.elements ?? [];
  if (only && members.length === 1 && others.length === 0) return only;
  throw new ContractError(path, 'not one JSON value');
}

function membersOf(source: Uint8Array, path: string, cut: CutOptions): CutMember[] {
  try {
    return cutBody(source, cut);
  } catch (error) {
    if (error instanceof JsonError) throw new ContractError(path, `not JSON (${error.message})`, { cause: error });
    throw error;
  }
}
