/** The few expressions of DynamoDB that the connector uses. Any other one is an error, so that nothing passes by accident. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Item = Readonly<Record<string, AttributeValue>>;

export interface ExpressionInput {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
}

export type Condition = (item: Item) => boolean;

/**
 * `a AND b OR c`, where AND binds tighter, also written as `(a AND b) OR c`.
 *
 * @param expression absent: it holds for every item
 */
export function conditionOf(expression: string | undefined, input: ExpressionInput): Condition {
  if (expression === undefined) return () => true;
  const branches = expression.split(' OR ').map(branch => {
    const [, inner = branch] = /^\((.* AND .*)\)$/.exec(branch) ?? [];
    return inner.split(' AND ').map(term => termOf(term, input));
  });
  return item => branches.some(terms => terms.every(holds => holds(item)));
}

function termOf(term: string, { ExpressionAttributeNames: names, ExpressionAttributeValues: values }: ExpressionInput) {
  const [, call, compared, operator, value = ''] =
    /^(attribute_exists|attribute_not_exists|begins_with)?\(?([#\w]+)(?: (=|<>|<=?|>=?) |, )?(:\w+)?\)?$/.exec(term) ??
    [];
  const name = names?.[compared ?? ''] ?? compared;
  const right = values?.[value];
  if (name === undefined || (value !== '' && right === undefined)) throw new Error(`Condition not understood: ${term}`);

  if (call === 'begins_with') return (item: Item) => item[name]?.S?.startsWith(right!.S!) === true;
  if (call !== undefined) return (item: Item) => (item[name] !== undefined) === (call === 'attribute_exists');
  return (item: Item) => compares(item[name], operator!, right!);
}

/** A comparison with an attribute that does not exist is false, unless it asks for a difference. */
function compares(left: AttributeValue | undefined, operator: string, right: AttributeValue): boolean {
  if (left === undefined) return operator === '<>';
  const [one, other] = [left, right].map(({ N: digits, S: text, BOOL: flag }) =>
    digits === undefined ? (text ?? String(flag)) : Number(digits),
  ) as [number, number];
  if (one === other) return operator === '=' || operator === '<=' || operator === '>=';
  return operator === '<>' || (one < other ? operator.startsWith('<') : operator.startsWith('>'));
}

/** `SET a = :v, b = if_not_exists(b, :w)` */
export function updated(expression: string, item: Item, { ExpressionAttributeValues: values }: ExpressionInput): Item {
  const result: Record<string, AttributeValue> = { ...item };
  for (const assignment of expression.replace(/^SET /, '').split(/, (?=\w+ =)/)) {
    const [, name, kept, value] = /^(\w+) = (?:if_not_exists\((\w+), )?(:\w+)\)?$/.exec(assignment) ?? [];
    if (!name || !value) throw new Error(`Update not understood: ${assignment}`);
    result[name] = (kept === undefined ? undefined : item[kept]) ?? values![value]!;
  }
  return result;
}
