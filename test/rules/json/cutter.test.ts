import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JsonError } from '../../../lambda/core/errors.ts';
import { type CutElement, cutBody } from '../../../lambda/core/json/cutter.ts';
import { json, styleOf, tokens, write } from '../../support/core/json-text.ts';

const TAKEN = ['stream_position', 'id', 'é', '__proto__', 'constructor'];

const cut = (body: string | Buffer) => [...cutBody(Buffer.from(body), TAKEN)];
const elementsOf = (body: string | Buffer): readonly CutElement[] => cut(body)[0]!.elements!;

/** Whether the text is one JSON object for the cutter, and for JSON.parse. */
function verdicts(text: string): [boolean, boolean] {
  return [accepts(() => cut(text)), accepts(() => parseObject(text))];
}

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof JsonError || error instanceof SyntaxError) return false;
    throw error;
  }
}

function parseObject(text: string): void {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('No object');
}

const members = fc.array(fc.tuple(fc.constantFrom('rows', 'page', '__proto__'), json));
const objectText = fc.tuple(members, fc.nat()).map(([tree, seed]) => write({ members: tree }, styleOf(seed)));

const PIECES = [
  ...'{}[],:"\\/ \t\r\n-+.eE0123456789abtfnu',
  ...[
    'true',
    'null',
    '"a":',
    '"\\u00',
    '1.',
    '\u00a0',
    '\ufeff',
    '\u0000',
    '\u001f',
    '\u2028',
    '"id"',
    '-0',
    '01',
    '1e',
  ],
];
const mutation = fc.record({ at: fc.nat(), drop: fc.nat({ max: 2 }), put: fc.constantFrom('', ...PIECES) });
const mutated = fc.tuple(objectText, fc.array(mutation, { maxLength: 3 })).map(([text, mutations]) =>
  mutations.reduce((before, { at, drop, put }) => {
    const place = at % (before.length + 1);
    return before.slice(0, place) + put + before.slice(place + drop);
  }, text),
);
const pieces = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 }).map(each => each.join(''));

describe('the accepted texts', () => {
  test('the cutter accepts a text exactly when JSON.parse does', () => {
    const placed = pieces.chain(each =>
      fc.constantFrom(each, `{"a":${each}}`, `{"a":[${each}]}`, `{"a":[{"b":${each}}]}`, `{${each}}`),
    );
    const property = fc.property(fc.oneof(mutated, placed), text => {
      const [cutter, parser] = verdicts(text);
      expect(cutter).toBe(parser);
    });
    fc.assert(property, { numRuns: 1_500 });
  });

  test.each([
    ['inside a string', '{"a":"x*y"}'],
    ['inside a name', '{"x*y":1}'],
    ['after a backslash', '{"a":["\\*"]}'],
    ['inside an escape', '{"a":["\\u12*4"]}'],
    ['between tokens', '{"a":*1}'],
    ['at the end', '{"a":1}*'],
    ['before a number', '{"a":[*0]}'],
    ['after a digit', '{"a":[0*]}'],
    ['within a number', '{"a":[-1*2]}'],
    ['within a literal', '{"a":[tru*e,nul*,fals*]}'],
    ['between elements', '{"a":[{}*{}]}'],
    ['between members', '{"a":[]*"b":1}'],
  ])('the ASCII character %s is accepted exactly where JSON.parse accepts it', (_where, template) => {
    for (let unit = 0; unit < 0x80; unit++) {
      const [cutter, parser] = verdicts(template.replaceAll('*', () => String.fromCharCode(unit)));
      expect({ unit, cutter }).toEqual({ unit, cutter: parser });
    }
  });

  test.each(['{"rows":[{"id":"secret-1",}]}', '{"rows":[],"p":"\\secret-1"}', '{"rows":[{"\\secret-1":1}]}'])(
    'the error about the invalid text %s names the position, but does not show the text',
    text => {
      expect(() => cut(text)).toThrow(/^Text that is not JSON at character \d+$/);
    },
  );
});

describe('the parts of a text', () => {
  test('the cutter returns every member and element with its exact bounds in any valid text', () => {
    const plain = (text: string) =>
      tokens(text).replace(/"(?:[^"\\]|\\.)*"/g, each => JSON.stringify(JSON.parse(each)));
    const property = fc.property(objectText, text => {
      const parts = cut(text).map(({ name, elements, text: value }) => {
        return `${JSON.stringify(name)}:${elements ? `[${elements.map(each => each.text)}]` : value}`;
      });
      expect(plain(`{${parts}}`)).toBe(plain(text));
      expect(cut(text).map(({ value }) => value)).toEqual(
        cut(text).map(({ elements, text: value }) => (elements ? undefined : JSON.parse(value))),
      );
    });
    fc.assert(property, { numRuns: 150 });
  });

  test('elements after the limit are counted and checked, but not kept', () => {
    const [member] = cutBody(Buffer.from('{"a":[1,2,3]}'), TAKEN, 2);
    expect(member!.elements!.length).toBe(2);
    expect(member!.length).toBe(3);
    expect(() => [...cutBody(Buffer.from('{"a":[1,2,x]}'), TAKEN, 2)]).toThrow(JsonError);
  });

  test.each([
    ['{"id":1,"\\u0069d":"a\\u0062"}', { id: '"ab"' }],
    ['{"id":"\\\\é","stream_position":{"b":1.0, "a":2}}', { id: '"\\\\é"', stream_position: '{"a":2,"b":1.0}' }],
    ['{"\\u00E9":null}', { é: 'null' }],
    ['{"a":{"id":"nested"},"b":[{"id":"too"}]}', {}],
    ['{"__proto__":1,"constructor":2}', { ['__proto__']: '1', constructor: '2' }],
    ['{}', {}],
    ['[{"id":"a"}]', {}],
  ])('the cutter takes from the row %s the members %j', (row, values: Readonly<Record<string, string>>) => {
    const expected = TAKEN.map(name => (Object.hasOwn(values, name) ? values[name] : undefined));
    const before = '{"id":1,"é":2,"stream_position":3}';
    const { taken, isObject } = elementsOf(`{"rows":[${before},${row}]}`)[1]!;
    expect(taken).toEqual(isObject ? expected : []);
  });
});

describe('the canonical text', () => {
  const contentsOf = (rows: readonly string[]) => elementsOf(`{"rows":[${rows}]}`).map(({ content }) => content);

  test('the canonical text of an element does not depend on the elements before it', () => {
    const styles = fc.constantFrom([''], ['', ' ']);
    const row = fc.tuple(members, fc.nat(), styles).map(([tree, seed, spaces]) => {
      return write({ members: tree }, styleOf(seed, spaces));
    });
    const property = fc.property(fc.array(row, { minLength: 2, maxLength: 5 }), rows => {
      expect(contentsOf(rows)).toEqual(rows.flatMap(text => contentsOf([text])));
    });
    fc.assert(property, { numRuns: 150 });
  });

  test.each([
    ['{"b":1,"a":2}', '{"a":1,"b" :2}', '{"a":2,"a":1}', '{"b":1,"a":3}'],
    ['{"b":{"d":1,"c":2}}', '{"b":{"c":1,"d": 2}}', '{"b":{"c":1,"c":0}}', '{"b":{}}', '{}'],
  ])('the order of the members of %s does not affect the rows after it', (...rows) => {
    expect(contentsOf(rows)).toEqual(rows.flatMap(text => contentsOf([text])));
  });

  test.each(['\\n', '\\\\', '\\"', '\\/', '\\u0041', 'a'])(
    'a string that repeats %s 100,000 times has a canonical text',
    text => {
      const value = text.repeat(100_000);
      expect(contentsOf([`{"a":"${value}"}`])).toEqual([`{"a":${JSON.stringify(JSON.parse(`"${value}"`))}}`]);
    },
  );

  test.each([
    ['"C:\\\\users"', '"C:\\\\users"'],
    ['"\\\\\\u0061"', '"\\\\a"'],
    ['"\\/"', '"/"'],
    ['[ 1.0 , {"b":1,"a":[]} ]', '[1.0,{"a":[],"b":1}]'],
  ])('the canonical text of %s is %s', (text, content) => {
    expect(contentsOf([text])).toEqual([content]);
  });
});

describe('an element that has no canonical text', () => {
  const nested = (open: string, depth: number) => `${open.repeat(depth)}1${(open === '[' ? ']' : '}').repeat(depth)}`;
  const notUtf8 = (bytes: string) => Buffer.from(`{"a${bytes}":"x${bytes}"}`, 'latin1');

  test.each([
    ['nested in 512 levels', Buffer.from(nested('[', 512)), undefined],
    ['with objects nested in 512 levels', Buffer.from(nested('{"a":', 512)), undefined],
    ['nested in 513 levels', Buffer.from(nested('[', 513)), 'too-deep'],
    ['with objects nested in 513 levels', Buffer.from(nested('{"a":', 513)), 'too-deep'],
    ['nested in 100,000 levels', Buffer.from(nested('[', 100_000)), 'too-deep'],
    ...['\xff', '\xc3', '\xc0\x80', '\xe2\x82', '\xed\xa0\x80', '\xf4\x90\x80\x80', '\x80'].map(
      bytes => [`with the bytes ${Buffer.from(bytes, 'latin1').toString('hex')}`, notUtf8(bytes), 'not-utf-8'] as const,
    ),
  ])('an element %s is kept as it was sent, and does not affect the elements around it', (_what, bytes, violation) => {
    const [before, after] = ['{"rows":[{"id":1}, ', ' ,{"id":2,"é":"ü"}],"p":[[]]}'];
    const [first, middle, last] = elementsOf(Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]));
    expect(first!.violation).toBeUndefined();
    expect(middle!.violation).toEqual(violation);
    expect(last!.violation).toBeUndefined();
    expect(Buffer.from(middle!.bytes ?? middle!.text)).toEqual(bytes);
    expect(first!.content).toEqual(elementsOf('{"rows":[{"id":1}]}')[0]!.content);
    expect(last!.content).toEqual(elementsOf('{"rows":[{"é":"\\u00fc","id":2}]}')[0]!.content);
  });

  test.each([
    ['{"a":[*]}', '{"a":1,}'],
    ['{"a":[*]}', '1 2'],
    ['{"a":[*]}', '[1}'],
    ['{"a":*}', '[1,]'],
  ])(
    'invalid JSON that is nested deeper than the limit is refused: %s, where * is 600 arrays around %s',
    (template, text) => {
      expect(() => cut(template.replace('*', `${'['.repeat(600)}${text}${']'.repeat(600)}`))).toThrow(JsonError);
    },
  );

  test.each(['{"rows":[],"a":"*"}', '{"*":1}', '{"a":{"*":1}}', '{"rows":[[1]],"a":["b"],"b":"*"}', '{"a":*}'])(
    'invalid UTF-8 outside the elements is refused: %s',
    text => {
      expect(() => cut(Buffer.from(text.replace('*', '\xff'), 'latin1'))).toThrow(JsonError);
    },
  );
});
