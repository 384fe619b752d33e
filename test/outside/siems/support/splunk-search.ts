/** An event as a search head sees it with `KV_MODE = json`: its fields, the calculated fields of props.conf, and its event types. */
import { siemFile } from './files.ts';

const DEFAULT = 'splunk/security_data_connector/default';

/** Values of a field. Splunk has no empty list: a field without values does not exist. */
export type Fields = ReadonlyMap<string, readonly string[]>;

/** The settings of each stanza of a file. A later line of a name wins. */
export function stanzas(file: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const found = new Map<string, Map<string, string>>();
  let settings = new Map<string, string>();
  for (const line of siemFile(`${DEFAULT}/${file}`).split('\n')) {
    const [, stanza] = /^\[(.*)\]$/.exec(line) ?? [];
    const [, name, value] = /^([\w-]+) = (.*)$/.exec(line) ?? [];
    if (stanza !== undefined) {
      settings = new Map();
      found.set(stanza, settings);
    } else if (name !== undefined) settings.set(name, value!);
  }
  return found;
}

const PROPS = stanzas('props.conf').get('security:data:connector')!;
/** The fields of a line at search time. Calculated fields see the extracted ones, not each other. */
export function fieldsOf(line: string): Fields {
  const extracted = new Map<string, string[]>();
  extract(JSON.parse(line), '', extracted);
  const calculated = CALCULATED.map(([name, expression]) => [name, expression(extracted)] as const);
  return new Map([...extracted, ...calculated.filter(([, values]) => values.length > 0)]);
}

/** The text behind TIME_PREFIX, which becomes `_time`. */
export function timeOf(line: string): string {
  const { index, 0: prefix } = new RegExp(PROPS.get('TIME_PREFIX')!).exec(line)!;
  const from = index + prefix.length;
  return line.slice(from, from + Number(PROPS.get('MAX_TIMESTAMP_LOOKAHEAD')));
}

function extract(value: unknown, path: string, into: Map<string, string[]>): void {
  if (Array.isArray(value)) for (const each of value) extract(each, `${path}{}`, into);
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) extract(each, path === '' ? name : `${path}.${name}`, into);
  else if (value !== null) into.set(path, [...(into.get(path) ?? []), String(value)]);
}

/** Whether the search of an event type finds the event. It has terms, NOT and IN. */
export function isOfType(search: string, fields: Fields): boolean {
  const terms = search.matchAll(/(NOT )?(\w+)(?:=(?:"([^"]*)"|(\S+))| IN \(([^)]*)\))/g);
  return [...terms].every(([, not, name, quoted, plain, list]) => {
    const allowed = list?.split(', ').map(each => each.slice(1, -1)) ?? [quoted ?? plain!];
    const values = name === 'sourcetype' ? ['security:data:connector'] : (fields.get(name!) ?? []);
    return values.some(each => allowed.includes(each)) !== Boolean(not);
  });
}

type Expression = (fields: Fields) => readonly string[];

/** Reads an expression of `eval`, as far as props.conf uses it: case, replace, texts, numbers, fields, `.` and `=`. */
function parse(text: string): Expression {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|'[^']*'|\w+|[(),.=]/g)!;
  let at = 0;
  const take = (token: string) => tokens[at] === token && at++ >= 0;
  const comparison = (): Expression => {
    const left = concatenation();
    if (!take('=')) return left;
    const right = concatenation();
    return fields => (left(fields)[0] !== undefined && left(fields)[0] === right(fields)[0] ? ['true'] : []);
  };
  const concatenation = (): Expression => {
    const parts = [primary()];
    while (take('.')) parts.push(primary());
    if (parts.length === 1) return parts[0]!;
    return fields => {
      const values = parts.map(part => part(fields)[0]);
      return values.includes(undefined) ? [] : [values.join('')];
    };
  };
  const primary = (): Expression => {
    const token = tokens[at++]!;
    if (token.startsWith('"')) {
      const constant = [token.slice(1, -1).replace(/\\(.)/g, '$1')];
      return () => constant;
    }
    if (/^\d/.test(token)) return () => [token];
    if (!take('(')) return fields => fields.get(token.replaceAll("'", '')) ?? [];
    const given = [comparison()];
    while (take(',')) given.push(comparison());
    if (!take(')')) throw new SyntaxError(text);
    return FUNCTIONS[token]!(given);
  };
  const whole = comparison();
  if (at !== tokens.length) throw new SyntaxError(text);
  return whole;
}

const FUNCTIONS: Readonly<Record<string, (given: readonly Expression[]) => Expression>> = {
  case: given => fields => {
    for (let index = 0; index < given.length; index += 2)
      if (given[index]!(fields).length > 0) return given[index + 1]!(fields);
    return [];
  },
  replace:
    ([from, pattern, to]) =>
    fields => {
      const [value, by, into] = [from!(fields)[0], pattern!(fields)[0]!, to!(fields)[0]!];
      return value === undefined ? [] : [value.replace(new RegExp(by, 'g'), into)];
    },
};

const CALCULATED = [...PROPS]
  .filter(([name]) => name.startsWith('EVAL-'))
  .map(([name, text]) => [name.slice('EVAL-'.length), parse(text)] as const);
