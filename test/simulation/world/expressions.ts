/** The few DynamoDB expressions that the connector uses; any other one is refused. */
import type { Item } from '../../../lambda/store/item.ts';

type Value = Item[string];
type Values = Record<string, Value>;

/** `a AND b OR c`, each `attribute_not_exists(x)` or `x <op> :value`; AND binds tighter. */
export function holds(condition: string, item: Item | undefined, values: Values): boolean {
  return condition.split(' OR ').some(branch => branch.split(' AND ').every(term => termHolds(term, item, values)));
}

function termHolds(term: string, item: Item | undefined, values: Values): boolean {
  const missing = /^attribute_not_exists\((\w+)\)$/.exec(term);
  if (missing) return item?.[missing[1]!] === undefined;
  const compared = /^(\w+) (=|<>|<=|<) (:\w+)$/.exec(term);
  if (!compared) throw new Error(`Condition not understood: ${term}`);
  const [, name, operator, value] = compared;
  const left = item?.[name!];
  const right = values[value!]!;
  // A comparison with an attribute that is not there is false, but for "differs".
  if (left === undefined) return operator === '<>';
  const command = compare(left, right);
  return { '=': command === 0, '<>': command !== 0, '<': command < 0, '<=': command <= 0 }[operator as '<'];
}

function compare(left: Value, right: Value): number {
  if (left.N !== undefined && right.N !== undefined) return Number(left.N) - Number(right.N);
  if (left.S !== undefined && right.S !== undefined) return left.S < right.S ? -1 : left.S > right.S ? 1 : 0;
  throw new Error('Values of different kinds are compared');
}

/** `SET a = :v, b = if_not_exists(b, :v) + :w`. */
export function updated(expression: string, item: Item, values: Values): Item {
  const result = { ...item };
  for (const assignment of expression.replace(/^SET /, '').split(/, (?![^(]*\))/)) {
    const plain = /^(\w+) = (:\w+)$/.exec(assignment);
    const counted = /^(\w+) = if_not_exists\((\w+), (:\w+)\) \+ (:\w+)$/.exec(assignment);
    if (plain) result[plain[1]!] = values[plain[2]!]!;
    else if (counted) {
      const [, target, name, otherwise, addend] = counted;
      const sum = Number((item[name!] ?? values[otherwise!])!.N) + Number(values[addend!]!.N);
      result[target!] = { N: String(sum) };
    } else throw new Error(`Update not understood: ${assignment}`);
  }
  return result;
}
