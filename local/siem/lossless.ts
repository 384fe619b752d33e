/**
 * JSON as it is written: numbers by their digits, members by name, order and white space aside. Written without the
 * connector's own cutter, so that one can check the other.
 */
const TOKEN = /\s*(?:([{}[\],:])|("(?:[^"\\]+|\\.)*")|([^\s{}[\],:"]+))\s*/y;

type Written = string | readonly Written[] | ReadonlyMap<string, Written>;

class Reader {
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const found = TOKEN.exec(text);
      if (!found) throw new Error('Not JSON');
      this.#tokens.push((found[1] ?? found[2] ?? found[3])!);
    }
  }

  value(): Written {
    const token = this.#tokens[this.#at++]!;
    if (token === '{') return this.#object();
    return token === '[' ? this.#array() : token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token;
  }

  #object(): Written {
    const members = new Map<string, Written>();
    while (this.#tokens[this.#at] !== '}') {
      const name: string = JSON.parse(this.#tokens[this.#at]!);
      this.#at += 2;
      members.set(name, this.value());
      if (this.#tokens[this.#at] === ',') this.#at++;
    }
    this.#at++;
    return members;
  }

  #array(): Written {
    const elements: Written[] = [];
    while (this.#tokens[this.#at] !== ']') {
      elements.push(this.value());
      if (this.#tokens[this.#at] === ',') this.#at++;
    }
    this.#at++;
    return elements;
  }
}

/** The row's content in one form, `stream_position` aside. */
export function content(rowText: string): string {
  return contentOf(new Reader(rowText).value() as ReadonlyMap<string, Written>);
}

function contentOf(row: ReadonlyMap<string, Written>): string {
  return written(new Map([...row].filter(([name]) => name !== 'stream_position')));
}

function written(value: Written): string {
  if (typeof value === 'string') return value;
  if (value instanceof Map) {
    const members = [...value].sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${written(member)}`).join()}}`;
  }
  return `[${(value as readonly Written[]).map(written).join()}]`;
}

export interface ReadPage {
  readonly next: string | null;
  /** The last row of each id. */
  readonly rows: ReadonlyMap<string, ReadRow>;
  /** Rows that a later row of the page replaces. */
  readonly superseded: readonly (readonly [id: string, content: string])[];
}

export interface ReadRow {
  readonly content: string;
  readonly deleted: boolean;
}

/** A list answer, by the names that the platform gives its members. */
export function readAnswer(body: string, names: { rowsMember: string; paginationMember: string }): ReadPage {
  const answer = new Reader(body).value() as ReadonlyMap<string, Written>;
  const pagination = answer.get(names.paginationMember) as ReadonlyMap<string, string>;
  const rows = answer.get(names.rowsMember) as readonly ReadonlyMap<string, Written>[];
  const last = new Map<string, ReadRow>();
  const superseded: (readonly [string, string])[] = [];
  for (const row of rows) {
    const id: string = JSON.parse(row.get('id') as string);
    const before = last.get(id);
    if (before) superseded.push([id, before.content]);
    last.set(id, { content: contentOf(row), deleted: row.get('deleted') === 'true' });
  }
  return { next: JSON.parse(pagination.get('next_cursor')!), rows: last, superseded };
}
