/** Texts that two engines could read differently, each with the expected answer of the views. */

/** Rows that the views return as they were written. */
export const ROWS: readonly (readonly [what: string, row: string])[] = [
  ['integers beyond 2^53', '{"id":"a","n":9007199254740993,"m":123456789012345678901234567890}'],
  ['the form of numbers', '{"id":"a","n":[1.0,1e2,-0,0.1000,1E-400]}'],
  ['members of every name', '{"__proto__":{"id":1},"constructor":2,"row":{"row":3},"event_id":"x","class_uid":5001}'],
  ['text that looks like the end of the head', String.raw`{"id":",\"row\":{}","x":",\"id\":\""}`],
  ['escapes as they are written', String.raw`{"id":"\u0041\/\u0000\ud800\uDFFF\ud83d\ude00\\u0041"}`],
  ['wide characters', '{"id":"😀\u2028\u2029\u0085é","\u{1f680}":"𝄞"}'],
  ['white space', '{ "id" :\t"a" ,  "b":[ ] }'],
  ['a name that occurs twice', '{"id":"a","id":"b"}'],
  ['an empty row', '{}'],
  ['a row of 1,000 KiB', `{"id":"a","text":"${'é"'.replaceAll('"', '\\"').repeat(255_000)}"}`],
];

/** Lone surrogates are no characters: neither engine can hold them. */
export const IDS: readonly (readonly [id: string, shown: string])[] = [
  ['a"b\\c', 'a"b\\c'],
  [',"row":{', ',"row":{'],
  ['{"class_uid":1', '{"class_uid":1'],
  ['a\u0000b\nc\u2028', 'a\u0000b\nc\u2028'],
  ['😀 büro/4?#', '😀 büro/4?#'],
  ['lone \ud83d and \ude00', 'lone ? and ?'],
  ['a pair 😀 beside a lone \udc00', 'a pair 😀 beside a lone ?'],
  ['no escape: \\ud800', 'no escape: \\ud800'],
  ["it's", "it's"],
];

/** JSON values, each with the answer of `json_extract_scalar`. */
export const SCALARS: readonly (readonly [value: string, scalar: string | null])[] = [
  ...['99999999999999999.99', '123456789012345678901234567890', '9007199254740993', '-9223372036854775809', '-0'].map(
    same,
  ),
  ...['1.10', '-0.0', '0', '1e2', '1E+2', '1E400', '0.30000000000000000001', 'true'].map(same),
  ['"1.10"', '1.10'],
  ['"0"', '0'],
  ['"1e2"', '1e2'],
  [String.raw`"{\"x\":1.10}"`, '{"x":1.10}'],
  ['"[1]"', '[1]'],
  ['""', ''],
  ['null', null],
  ['[1.10]', null],
  ['{"b":1.10}', null],
];

function same(text: string): [string, string] {
  return [text, text];
}

/** Has the members that `PATHS` lead to. */
export const PATHS_ROW = String.raw`{"a":7.70,"b.c":1.10,"d":{"e f":[1.0,2.0],"g":[{"h":1e2}]},"q\"r":"quote"}`;

export const PATHS: readonly (readonly [path: string, scalar: string | null])[] = [
  ['$.a', '7.70'],
  ['$["a"]', '7.70'],
  ['$["b.c"]', '1.10'],
  ['$.d["e f"][1]', '2.0'],
  ['$.d.g[0].h', '1e2'],
  ['$["d"]["g"][0]["h"]', '1e2'],
  [String.raw`$["q\"r"]`, 'quote'],
  ['$.nowhere', null],
];

/** The forms that docs/event.schema.json allows a time. */
export const TIMES: readonly (readonly [time: string | null, utc: string | null])[] = [
  ['2026-11-20T09:14:03Z', '2026-11-20 09:14:03'],
  ['2026-11-20T09:14:03.120Z', '2026-11-20 09:14:03.12'],
  ['2026-11-20T09:14:03.123999Z', '2026-11-20 09:14:03.123'],
  ['2026-11-20T09:14:03+02:00', '2026-11-20 07:14:03'],
  ['2026-11-20T23:14:03-0130', '2026-11-21 00:44:03'],
  ['2026-11-20T09:14:03', '2026-11-20 09:14:03'],
  ['2026-11-20T09:14Z', '2026-11-20 09:14:00'],
  ['2026-11-20T09:14+02', '2026-11-20 07:14:00'],
  ['2026-11-20T09:14:03,5Z', '2026-11-20 09:14:03.5'],
  ['2026-13-20T09:14:03Z', null],
  ['yesterday', null],
  [null, null],
];
