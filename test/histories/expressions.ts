/** The expressions of DynamoDB that a connector may use. An unknown one is an error, so that nothing passes by accident. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Item = Readonly<Record<string, AttributeValue>>;

export interface ExpressionInput {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
}

type Value = Item[string];
export type Condition = (item: Item) => boolean;

/** @param expression absent: it holds for every item */
export function conditionOf(expression: string | undefined, input: ExpressionInput): Condition {
  return expression === undefined ? () => true : new Parser(expression, input).condition();
}

/** Applies `SET a = :v, b = if_not_exists(b, :zero) + :one REMOVE c`. */
export function updated(expression: string, item: Item, input: ExpressionInput): Item {
  const result: Record<string, Value> = { ...item };
  for (const [, verb, list = ''] of expression.matchAll(/(SET|REMOVE) (.*?)(?= SET | REMOVE |$)/g)) {
    for (const clause of list.split(/,\s*(?![^(]*\))/)) {
      const parser = new Parser(clause, input);
      const name = parser.name();
      if (verb === 'REMOVE') delete result[name];
      else result[name] = parser.assigned(item);
    }
  }
  return result;
}

const TOKENS = /\s*([#:]?[A-Za-z_][\w]*|<>|<=|>=|[=<>(),+-])/y;

class Parser {
  readonly #tokens: string[] = [];
  readonly #input: ExpressionInput;

  constructor(expression: string, input: ExpressionInput) {
    this.#input = input;
    TOKENS.lastIndex = 0;
    while (TOKENS.lastIndex < expression.trimEnd().length) {
      const at = TOKENS.lastIndex;
      const [, token] = TOKENS.exec(expression) ?? [];
      if (token === undefined) throw new Error(`Expression not understood: ${expression.slice(at)}`);
      this.#tokens.push(token);
    }
  }

  name(): string {
    const token = this.#next();
    return token.startsWith('#') ? this.#input.ExpressionAttributeNames![token]! : token;
  }

  condition(): Condition {
    let left = this.#conjunction();
    while (this.#takes('OR')) {
      const [one, other] = [left, this.#conjunction()];
      left = item => one(item) || other(item);
    }
    return left;
  }

  #conjunction(): Condition {
    let left = this.#term();
    while (this.#takes('AND')) {
      const [one, other] = [left, this.#term()];
      left = item => one(item) && other(item);
    }
    return left;
  }

  #term(): Condition {
    if (this.#takes('NOT')) {
      const negated = this.#term();
      return item => !negated(item);
    }
    if (this.#takes('(')) return this.#closed(this.condition());
    if (this.#takes('attribute_exists')) return this.#existence(true);
    if (this.#takes('attribute_not_exists')) return this.#existence(false);
    if (this.#takes('begins_with')) return this.#beginning();

    const [left, operator, right] = [this.#operand(), this.#next(), this.#operand()];
    return item => compares(left(item), operator, right(item));
  }

  #existence(expected: boolean): Condition {
    this.#expect('(');
    const name = this.name();
    return this.#closed(item => (item[name] !== undefined) === expected);
  }

  #beginning(): Condition {
    this.#expect('(');
    const text = this.#operand();
    this.#expect(',');
    const start = this.#operand();
    return this.#closed(item => text(item)?.S?.startsWith(start(item)!.S!) === true);
  }

  /** The value that an assignment gives: an operand, or a sum of two. */
  assigned(item: Item): Value {
    this.#expect('=');
    const left = this.#operand()(item)!;
    const sign = this.#tokens[0];
    if (sign === undefined) return left;
    this.#next();
    const right = this.#operand()(item)!;
    return { N: String(Number(left.N) + (sign === '+' ? 1 : -1) * Number(right.N)) };
  }

  #operand(): (item: Item) => Value | undefined {
    if (this.#takes('if_not_exists')) {
      this.#expect('(');
      const name = this.name();
      this.#expect(',');
      const otherwise = this.#operand();
      this.#expect(')');
      return item => item[name] ?? otherwise(item);
    }
    const token = this.name();
    if (!token.startsWith(':')) return item => item[token];
    const value = this.#input.ExpressionAttributeValues?.[token];
    if (value === undefined) throw new Error(`There is no value ${token}`);
    return () => value;
  }

  #closed(condition: Condition): Condition {
    this.#expect(')');
    return condition;
  }

  #takes(token: string): boolean {
    if (this.#tokens[0] !== token) return false;
    this.#tokens.shift();
    return true;
  }

  #expect(token: string): void {
    if (!this.#takes(token)) throw new Error(`Expected ${token} before ${this.#tokens.join(' ')}`);
  }

  #next(): string {
    const token = this.#tokens.shift();
    if (token === undefined) throw new Error('The expression ends too early');
    return token;
  }
}

/** A comparison with an attribute that does not exist is false, unless it asks for a difference. */
function compares(left: Value | undefined, operator: string, right: Value | undefined): boolean {
  if (left === undefined || right === undefined) return operator === '<>';
  const [one, other] = left.N !== undefined ? [Number(left.N), Number(right.N)] : [plain(left), plain(right)];
  switch (operator) {
    case '=':
      return one === other;
    case '<>':
      return one !== other;
    case '<':
      return one < other;
    case '<=':
      return one <= other;
    case '>':
      return one > other;
    case '>=':
      return one >= other;
    default:
      throw new Error(`Unknown operator ${operator}`);
  }
}

function plain({ S: text, BOOL: flag }: Value): string {
  return text ?? String(flag);
}
