import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JsonError } from '../../../../lambda/core/errors.ts';
import { type CutElement, cutBody } from '../../../../lambda/core/json/cutter.ts';
import { json, styleOf, tokens, write } from '../support/json-text.ts';

const OPTIONS = { wanted: ['id', 'é'], excluded: 'stream_position' };
const MAX_DEPTH = 512;

const cut = (text: string) => cutBody(Buffer.from(text), OPTIONS);
const elementsOf = (text: string): readonly CutElement[] => cut(text)[0]!.elements!;
const wantedOf = (element: CutElement) => OPTIONS.wanted.map((_, place) => element.wanted(place));
const canonical = (row: string) => elementsOf(`{"rows":[${row}]}`)[0]!.canonical;

const bytesOf = (text: string, start: number, end: number) => Buffer.from(text).toString('utf8', start, end);

/** Whether the text is one JSON object, as the platform's own parser sees it. */
function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function isCut(text: string): boolean {
  try {
    cut(text);
    return true;
  } catch (error) {
    if (error instanceof JsonError) return false;
    throw error;
  }
}

const styled = fc.tuple(fc.array(fc.tuple(fc.constantFrom('rows', 'page', '__proto__'), json)), fc.nat());
const objectText = styled.map(([members, seed]) => write({ members }, styleOf(seed)));

const PIECES = [
  ...'{}[],:"\\/ \t\r\n-+.eE0123456789abtfnu',
  ...['true', 'false', 'null', '"a":', '"\\u00', '1.', '0x1', '\u00a0', '\ufeff', '\u0000', '\u001f', '\u2028'],
  ...["'", 'NaN', 'Infinity', '//', '\ud800', '"id"', '-0', '01', '1e'],
];
const mutation = fc.record({ at: fc.nat(), drop: fc.nat({ max: 2 }), put: fc.constantFrom('', ...PIECES) });

function mutate(text: string, { at, drop, put }: { at: number; drop: number; put: string }): string {
  const place = at % (text.length + 1);
  return text.slice(0, place) + put + text.slice(place + drop);
}

describe('the accepted texts', () => {
  test('the cutter accepts any object, in any style that JSON allows', () => {
    fc.assert(
      fc.property(objectText, text => {
        expect([isCut(text), isObjectText(text)]).toEqual([true, true]);
      }),
      { numRuns: 300 },
    );
  });

  test('the cutter accepts a mutated text exactly when JSON.parse does', () => {
    fc.assert(
      fc.property(objectText, fc.array(mutation, { minLength: 1, maxLength: 3 }), (text, mutations) => {
        const mutated = mutations.reduce(mutate, text);
        expect(isCut(mutated)).toBe(isObjectText(mutated));
      }),
      { numRuns: 1500 },
    );
  });

  test('the cutter accepts random pieces of JSON exactly when JSON.parse does', () => {
    const value = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 }).map(each => each.join(''));
    fc.assert(
      fc.property(value, each => {
        for (const text of [each, `{"a":${each}}`, `{"a":[${each}]}`, `{"a":[{"b":${each}}]}`, `{${each}}`]) {
          expect(isCut(text)).toBe(isObjectText(text));
        }
      }),
      { numRuns: 1000 },
    );
  });

  test.each(['', ' ', '[]', 'null', '"a"', '1', '{', '{"a":1', '{"a"', '{"a":"', '{"a":"\\', '{} {}', '{"a":1,}'])(
    'the cutter refuses %j',
    text => {
      expect(() => cut(text)).toThrow(JsonError);
    },
  );

  const units = Array.from({ length: 0x80 }, (_, unit) => String.fromCharCode(unit));

  test.each([
    ['inside a string', (unit: string) => `{"a":"x${unit}y"}`],
    ['inside a name', (unit: string) => `{"x${unit}y":1}`],
    ['after a backslash', (unit: string) => `{"a":"\\${unit}"}`],
    ['inside an escape', (unit: string) => `{"a":"\\u12${unit}4"}`],
    ['between tokens', (unit: string) => `{"a":${unit}1}`],
    ['at the end', (unit: string) => `{"a":1}${unit}`],
    ['before a number', (unit: string) => `{"a":[${unit}0]}`],
    ['after a digit', (unit: string) => `{"a":[0${unit}]}`],
    ['within a number', (unit: string) => `{"a":[-1${unit}2]}`],
    ['after the exponent', (unit: string) => `{"a":[1e${unit}2]}`],
    ['within a literal', (unit: string) => `{"a":[tru${unit}e,nul${unit},fals${unit}]}`],
  ])('the cutter accepts each ASCII character %s exactly when JSON.parse does', (_where, text) => {
    const texts = units.map(text);
    expect(texts.filter(isCut)).toEqual(texts.filter(isObjectText));
  });

  test.each(['[', '{"a":'])(
    'an element that is nested too deep (%s) is cut by its bytes, and those beside it as ever',
    open => {
      const nested = (depth: number) => `${open.repeat(depth)}1${(open === '[' ? ']' : '}').repeat(depth)}`;
      for (const depth of [MAX_DEPTH - 1, MAX_DEPTH, 100_000]) {
        const isTooDeep = depth >= MAX_DEPTH;
        const [first, deep, last] = elementsOf(
          `{"rows":[{"id":1}, ${nested(depth)} ,{"id":2,"é":"ü"}],"p":${nested(depth)}}`,
        );
        expect([first!.canonical, last!.canonical]).toEqual(['{"id":1}', '{"\\u00e9":"\\u00fc","id":2}']);
        expect([deep!.fault, deep!.isObject]).toEqual([isTooDeep ? 'too-deep' : undefined, open !== '[']);
        expect(Buffer.from(deep!.bytes).toString()).toBe(nested(depth));
      }
    },
  );

  test('the cutter accepts what is nested too deep exactly when its brackets and its grammar fit', () => {
    const deep = (text: string) => `{"a":[${'['.repeat(MAX_DEPTH)}${text}${']'.repeat(MAX_DEPTH)}]}`;
    const fine = ['1', '[],{}', '{"a":[1,"]"],"b":{}}', ' [ 1 , 2 ] ', '{"\\"":-1e5}'];
    const broken = [
      '[',
      ']',
      '{]',
      '[}',
      '1 2',
      '1,',
      ',1',
      '{"a"}',
      '{"a":}',
      '{1:2}',
      '{,}',
      '"',
      'x',
      '{"a":1,}',
      '[1,]',
    ];
    expect(fine.map(deep).filter(isCut)).toEqual(fine.map(deep));
    expect(broken.map(deep).filter(isCut)).toEqual([]);
  });

  const BROKEN_BYTES = ['ff', 'c3', 'c080', 'e282', 'eda080', 'f4908080', '80', 'e08080'];

  test.each(BROKEN_BYTES)('an element with the bytes %s is cut by its bytes, and those beside it as ever', bytes => {
    for (const [before, after] of [
      ['{"', '":1}'],
      ['{"a":"x', '"}'],
    ] as const) {
      const broken = Buffer.concat([Buffer.from(before), Buffer.from(bytes, 'hex'), Buffer.from(after)]);
      const body = Buffer.concat([Buffer.from('{"rows":[{"id":1},'), broken, Buffer.from(',{"id":"ü"}]}')]);
      const [first, faulty, last] = cutBody(body, OPTIONS)[0]!.elements!;
      expect([first!.fault, faulty!.fault, last!.fault]).toEqual([undefined, 'not-utf-8', undefined]);
      expect(Buffer.from(faulty!.bytes)).toEqual(broken);
      expect(last!.canonical).toBe('{"id":"\\u00fc"}');
    }
  });

  test.each(['{"rows":[],"a":"*"}', '{"*":1}', '{"a":{"*":1}}', '{"rows":[[1]],"a":["b"],"b":"*"}'])(
    'bytes that are not UTF-8 outside the elements (%s) are refused',
    text => {
      const body = Buffer.from(text);
      body[text.indexOf('*')] = 0xff;
      expect(() => cutBody(body, OPTIONS)).toThrow(/^Bytes that are not UTF-8 at character \d+$/);
    },
  );

  test('an error of the cutter names the place and never shows the text', () => {
    expect(() => cut('{"rows":[{"id":"secret-1",}]}')).toThrow(/^A member without a name at character 26$/);
  });
});

describe('the slices', () => {
  test('the cutter returns members and elements as the slices that were sent', () => {
    const text = ' { "rows" : [ {"id" : 1.0} , 7 ] ,\r\n "n\\u0061me": {"x":[]} } ';
    const members = cut(text);
    expect(members.map(({ name, start, end }) => [name, bytesOf(text, start, end)])).toEqual([
      ['rows', '[ {"id" : 1.0} , 7 ]'],
      ['name', '{"x":[]}'],
    ]);
    expect(members[0]!.elements!.map(each => each.text)).toEqual(['{"id" : 1.0}', '7']);
    expect(members[0]!.elements!.map(({ isObject }) => isObject)).toEqual([true, false]);
    expect(members[1]!.elements).toBeUndefined();
  });

  test('the cutter returns every member and element at its own bounds, whatever was sent', () => {
    fc.assert(
      fc.property(objectText, text => {
        const members = cut(text).map(({ name, start, end, elements }) => {
          const parts = elements?.map(each => each.text);
          return `${JSON.stringify(name)}:${parts ? `[${parts.join(',')}]` : bytesOf(text, start, end)}`;
        });
        const plain = text.replace(/"(?:[^"\\]|\\.)*"/g, string => JSON.stringify(JSON.parse(string)));
        const cutOut = `{${members.join(',')}}`.replace(/"(?:[^"\\]|\\.)*"/g, s => JSON.stringify(JSON.parse(s)));
        expect(tokens(cutOut)).toBe(tokens(plain));
      }),
      { numRuns: 300 },
    );
  });

  test('the cutter returns the raw text of wanted members, the last of a name, even when the name is escaped', () => {
    const [first, second] = elementsOf('{"rows":[{"id":1,"\\u0069d":9007199254740993},{"\\u00E9":"\\u0041"}]}');
    expect(wantedOf(first!)).toEqual(['9007199254740993', undefined]);
    expect(wantedOf(second!)).toEqual([undefined, '"\\u0041"']);
  });

  test('the cutter takes no wanted member out of a nested object', () => {
    const [element] = elementsOf('{"rows":[{"a":{"id":"nested"},"b":[{"id":"too"}]}]}');
    expect(wantedOf(element!)).toEqual([undefined, undefined]);
  });
});

describe('the canonical text', () => {
  test('the canonical text sorts members at every depth, keeps arrays in order, and drops white space', () => {
    expect(canonical('{ "b" : [ 2 , 1 , { "d" : 1 , "c" : 2 } ] , "a" : null }')).toBe(
      '{"a":null,"b":[2,1,{"c":2,"d":1}]}',
    );
  });

  test('the canonical text of an object with many members is sorted like any other', () => {
    const names = Array.from({ length: 100 }, (_, index) => `m${index}`);
    const text = (sorted: readonly string[]) => `{${sorted.map(name => `"${name}":"${name}"`).join()}}`;
    expect(canonical(text(names.toReversed()))).toBe(text(names.toSorted()));
  });

  test('the canonical text leaves out the excluded member of the row, and of nothing inside it', () => {
    expect(canonical('{"stream_position":1,"a":{"stream_position":2},"\\u0073tream_position":3}')).toBe(
      '{"a":{"stream_position":2}}',
    );
  });

  test('the canonical text keeps members of one name in the order sent, because the last of them counts', () => {
    expect(canonical('{"a":1,"b":0,"a":2}')).toBe('{"a":1,"a":2,"b":0}');
    expect(canonical('{"a":2,"b":0,"a":1}')).not.toBe(canonical('{"a":1,"b":0,"a":2}'));
  });

  test('the canonical text holds each character of a string or name, wherever it is in a word', () => {
    const characters = [
      ...Array.from({ length: 0x100 }, (_, unit) => String.fromCharCode(unit)),
      '\u20ac',
      '\ud83d\ude00',
    ];
    for (const character of characters) {
      for (let place = 0; place < 9; place++) {
        const text = `${'a'.repeat(place)}${character}${'b'.repeat(8 - place)}`;
        const value = { [text]: text, [`${text}"`]: [text.slice(0, place), text.slice(place)] };
        const written = canonical(JSON.stringify(value));
        expect(JSON.parse(written)).toEqual(value);
        expect(written).toMatch(/^[\x20-\x7e]*$/);
        const raw = `{"${text}":"${text}"}`;
        expect(isCut(`{"rows":[${raw},${raw}]}`)).toBe(isObjectText(raw));
      }
    }
  });

  test('the canonical text is the same for any style of the same value', () => {
    fc.assert(
      fc.property(json, fc.nat(), fc.nat(), (value, one, other) => {
        expect(canonical(write(value, styleOf(one)))).toBe(canonical(write(value, styleOf(other))));
      }),
      { numRuns: 400 },
    );
  });
});
