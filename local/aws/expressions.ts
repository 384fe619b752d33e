/**
 * The few expressions of DynamoDB that the connector uses. Any other expression is refused, so that
 * a test cannot pass by accident.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { AwsError } from './service.ts';

export type Item = Readonly<Record<string, AttributeValue>>;

export interface ExpressionInput {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
}

export type ItemCondition = (item: Item) => boolean;

/**
 * Reads a condition such as `a AND b OR c`, where AND takes precedence over OR, or the same
 * condition written as `(a AND b) OR c`.
 *
 * @param expression if undefined, the condition holds for every item
 */
export function conditionOf(expression: string | undefined, input: ExpressionInput): ItemCondition {
  if (expression === undefined) return () => true;
  const branches = expression.split(' OR ').map(branch => {
    const [, inner = branch] = /^\((.* AND .*)\)$/.exec(branch) ?? [];
    return inner.split(' AND ').map(term => termOf(term, input));
  });
  return item => branches.some(terms => terms.every(holds => holds(item)));
}

const TERM =
  /^(?:(?<test>attribute_exists|attribute_not_exists|begins_with)\((?<argument>[#\w]+)(?:, (?<prefix>:\w+))?\)|(?<left>[#\w]+) (?<operator>=|<>|<=?|>=?) (?<right>:\w+))$/;

function termOf(term: string, input: ExpressionInput): ItemCondition {
  const { test, argument, prefix, left, operator, right } = TERM.exec(term)?.groups ?? {};
  const name = attributeName(argument ?? left, input);
  if (test === 'attribute_exists') return item => item[name] !== undefined;
  if (test === 'attribute_not_exists') return item => item[name] === undefined;

  const value = valueNamed(prefix ?? right, input);
  if (test === 'begins_with') return item => item[name]?.S?.startsWith(value.S!) === true;
  return item => compares(item[name], operator!, value);
}

function attributeName(written: string | undefined, { ExpressionAttributeNames: names }: ExpressionInput): string {
  const name = written?.startsWith('#') ? names?.[written] : written;
  if (name === undefined) throw notUnderstood(written ?? 'a term');
  return name;
}

function valueNamed(written: string | undefined, { ExpressionAttributeValues: values }: ExpressionInput) {
  const value = values?.[written ?? ''];
  if (value === undefined) throw notUnderstood(written ?? 'a term without a value');
  return value;
}

/**
 * Compares two values. Values of different types are unequal and have no order. An attribute that
 * does not exist is unequal to every value.
 */
function compares(left: AttributeValue | undefined, operator: string, right: AttributeValue): boolean {
  const [one, other] = [comparable(left), comparable(right)];
  if (typeof one !== typeof other) return operator === '<>';
  if (one === other) return operator === '=' || operator === '<=' || operator === '>=';
  return operator === '<>' || (one! < other! ? operator.startsWith('<') : operator.startsWith('>'));
}

function comparable({ N: digits, S: text, BOOL: flag }: Partial<AttributeValue> = {}) {
  return digits === undefined ? (text ?? flag) : Number(digits);
}

const ASSIGNMENT = /^(?<name>\w+) = (?:if_not_exists\((?<kept>\w+), )?(?<value>:\w+)\)?$/;

/** Applies an update such as `SET a = :v, b = if_not_exists(b, :w)` to an item. */
export function applyUpdate(expression: string, item: Item, input: ExpressionInput): Item {
  const result: Record<string, AttributeValue> = { ...item };
  for (const assignment of expression.replace(/^SET /, '').split(/, (?=\w+ =)/)) {
    const { name, kept, value } = ASSIGNMENT.exec(assignment)?.groups ?? {};
    if (name === undefined) throw notUnderstood(assignment);
    result[name] = (kept === undefined ? undefined : item[kept]) ?? valueNamed(value, input);
  }
  return result;
}

/**
 * Refuses a name or value that no expression uses, because DynamoDB refuses such a request, too.
 */
export function requireUsedNames(expressions: readonly (string | undefined)[], input: ExpressionInput): void {
  const used = new Set(expressions.flatMap(expression => expression?.match(/[:#]\w+/g) ?? []));
  const given = Object.keys({ ...input.ExpressionAttributeNames, ...input.ExpressionAttributeValues });
  const unused = given.filter(name => !used.has(name));
  if (unused.length > 0)
    throw validationError(`Value provided in ExpressionAttributeValues unused: ${unused.join(', ')}`);
}

function notUnderstood(part: string): AwsError {
  return validationError(`Invalid expression: ${part} is not understood here`);
}

/** Creates the refusal of a request that breaks a rule of the service. */
export function validationError(message: string): AwsError {
  return new AwsError(400, 'ValidationException', message);
}
