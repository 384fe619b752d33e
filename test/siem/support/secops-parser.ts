/**
 * Runs a parser of Google SecOps, as far as siem/google-secops uses the language: mutate, json, date, drop and conditions.
 * As in SecOps, the parser ends when a condition reads a field that was never set, or when a plugin without on_error fails.
 */
import { siemFile } from './files.ts';

interface Plugin {
  readonly name: string;
  readonly options: Readonly<Record<string, Value>>;
}

interface Branch {
  readonly condition: Condition | undefined;
  readonly block: Block;
}

type Value = string | readonly string[] | Readonly<Record<string, string>>;
type Block = readonly (Plugin | { readonly branches: readonly Branch[] })[];
type State = Record<string, unknown>;
type Condition = (state: State) => boolean;

/** A UDM event, and whether it is an alert. */
export interface Parsed {
  readonly udm: Readonly<Record<string, unknown>>;
  readonly isAlert: unknown;
}

export function throughParser(line: string): Parsed[] {
  const state: State = { message: line, '@output': [] };
  try {
    run(PROGRAM, state);
  } catch (error) {
    if (error instanceof Dropped) return [];
    throw error;
  }
  return (state['@output'] as { idm: { read_only_udm: State; is_alert?: unknown } }[]).map(({ idm }) => {
    const metadata = { ...(idm.read_only_udm['metadata'] as object), event_timestamp: state['@timestamp'] };
    return { udm: { ...idm.read_only_udm, metadata }, isAlert: idm.is_alert };
  });
}

class Dropped extends Error {}

class ParserError extends Error {
  override readonly name = 'ParserError';
}

function run(block: Block, state: State): void {
  for (const each of block) {
    if ('branches' in each) {
      const taken = each.branches.find(({ condition }) => condition === undefined || condition(state));
      if (taken) run(taken.block, state);
      continue;
    }
    const flag = each.options['on_error'] as string | undefined;
    try {
      PLUGINS[each.name]!(each.options, state);
      if (flag) set(state, flag, false);
    } catch (error) {
      if (!flag || error instanceof Dropped) throw error;
      set(state, flag, true);
    }
  }
}

const PLUGINS: Readonly<Record<string, (options: Plugin['options'], state: State) => void>> = {
  drop() {
    throw new Dropped();
  },
  json({ source, array_function }, state) {
    for (const [name, value] of Object.entries(JSON.parse(String(get(state, source as string)))))
      state[name] = array_function === 'split_columns' ? columns(value) : value;
  },
  date({ match, target = '@timestamp' }, state) {
    const time = get(state, (match as readonly string[])[0]!);
    if (Number.isNaN(Date.parse(String(time)))) throw new ParserError(`no time: ${time}`);
    set(state, target as string, time);
  },
  mutate(options, state) {
    const pairs = (name: string) => Object.entries((options[name] ?? {}) as Record<string, string>);
    for (const [from, to] of pairs('rename')) {
      set(state, to, get(state, from));
      delete state[from];
    }
    for (const [to, text] of pairs('replace'))
      set(
        state,
        to,
        text.replace(/%\{([^}]+)\}/g, (_, path: string) => String(get(state, path))),
      );
    for (const [path, type] of pairs('convert')) {
      const value = get(state, path);
      set(state, path, type === 'boolean' ? value === 'true' : String(value));
    }
    for (const path of (options['uppercase'] ?? []) as readonly string[])
      set(state, path, String(get(state, path)).toUpperCase());
    for (const [to, from] of pairs('merge')) {
      const list = (find(state, to) ?? []) as unknown[];
      set(state, to, [...list, structuredClone(get(state, from))]);
    }
  },
};

/** Lists become objects whose members are positions. */
function columns(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, columns(each)]));
}

function find(state: State, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (Object(at) === at ? (at as State)[name] : undefined), state);
}

function get(state: State, path: string): unknown {
  const value = find(state, path);
  if (value === undefined || value === null) throw new ParserError(`${path} is not set`);
  return value;
}

function set(state: State, path: string, value: unknown): void {
  const names = path.split('.');
  let at = state;
  for (const name of names.slice(0, -1)) {
    at[name] ??= {};
    at = at[name] as State;
  }
  at[names.at(-1)!] = value;
}

function parse(text: string): Block {
  const tokens = text.replace(/^\s*#.*$/gm, '').match(/"(?:[^"\\]|\\.)*"|=>|[=!]=|=~|\[@?\w+\]|[[\]{}!,]|\w+/g)!;
  let at = 0;
  const next = () => tokens[at++]!;
  const take = (token: string) => tokens[at] === token && at++ >= 0;
  const expect = (token: string) => {
    if (!take(token)) throw new SyntaxError(`${token} expected, not ${tokens.slice(at, at + 5).join(' ')}`);
  };
  const readText = (): string => JSON.parse(next());

  function value(): Value {
    if (take('[')) {
      const list: string[] = [];
      while (!take(']')) {
        list.push(readText());
        take(',');
      }
      return list;
    }
    if (!take('{')) return readText();
    const pairs: Record<string, string> = {};
    while (!take('}')) {
      const name = readText();
      expect('=>');
      pairs[name] = readText();
    }
    return pairs;
  }

  function condition(): Condition {
    let all = term();
    for (;;) {
      const left = all;
      if (take('and')) {
        const right = term();
        all = state => left(state) && right(state);
      } else if (take('or')) {
        const right = term();
        all = state => left(state) || right(state);
      } else return all;
    }
  }

  function term(): Condition {
    const not = take('!');
    const path = next().slice(1, -1);
    const operator = tokens[at];
    if (!['==', '!=', '=~'].includes(operator!)) return state => Boolean(get(state, path)) !== not;
    next();
    const operand = readText();
    if (operator === '=~') return state => new RegExp(operand).test(String(get(state, path)));
    return state => (get(state, path) === operand) === (operator === '==');
  }

  function block(): Block {
    expect('{');
    const found: Block[number][] = [];
    while (!take('}')) found.push(take('if') ? { branches: branches() } : plugin());
    return found;
  }

  function branches(): Branch[] {
    const found: Branch[] = [{ condition: condition(), block: block() }];
    while (take('else')) found.push({ condition: take('if') ? condition() : undefined, block: block() });
    return found;
  }

  function plugin(): Plugin {
    const name = next();
    if (!(name in PLUGINS)) throw new SyntaxError(`no plugin ${name}`);
    const options: Record<string, Value> = {};
    expect('{');
    while (!take('}')) {
      const option = next();
      expect('=>');
      options[option] = value();
    }
    return { name, options };
  }

  expect('filter');
  return block();
}

const PROGRAM = parse(siemFile('google-secops/parser.conf'));
