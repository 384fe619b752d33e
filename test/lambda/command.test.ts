import { describe, expect, test } from '@jest/globals';
import { CommandError, MAX_REPAIR, parseCommand } from '../../lambda/command.ts';
import { STREAMS, type StreamName } from '../../lambda/streams.ts';

const ALL = STREAMS.map(stream => stream.name);
const ids = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

/** The message of the CommandError, or what was taken instead. */
function refusal(payload: unknown, known: readonly StreamName[] = ALL): string {
  try {
    return `taken: ${JSON.stringify(parseCommand(payload, known))}`;
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    throw error;
  }
}

describe('a payload', () => {
  test.each([
    ['{}', {}],
    ['nothing', undefined],
    ['null', null],
    ['the envelope of an EventBridge rule', { version: '0', 'detail-type': 'Scheduled Event', detail: {} }],
  ])('a payload that is %s asks for all streams and no command', (_what, payload) => {
    expect(parseCommand(payload, ALL)).toEqual({
      streams: undefined,
      resync: [],
      replay: [],
      repair: {},
    });
  });

  test('a payload may name streams in any order, and they are read in their own order', () => {
    expect(parseCommand({ streams: ['threats', 'assets'] }, ALL).streams).toEqual(['assets', 'threats']);
  });

  test('a payload may command a resync and a replay', () => {
    const command = { resync: ['assets'], replay: ['dns-blocks', 'threats'] };
    expect(parseCommand(command, ALL)).toMatchObject({ streams: undefined, ...command });
  });

  test('a payload may name rows to repair, by stream, and confirm the organization', () => {
    const command = { repair: { assets: ['a', 'b'], threats: ['t'] }, confirmOrganization: true };
    expect(parseCommand(command, ALL)).toMatchObject(command);
  });

  test.each([
    ['of DNS blocks, which never change', { 'dns-blocks': ['d'] }],
    ['of an unknown stream', { unknown: ['a'] }],
    ['in a list', ['a']],
    ['with an id that is not a string', { assets: [7] }],
    ['with an empty id', { assets: [''] }],
    ['with more ids than one run repairs', { assets: ids(MAX_REPAIR), threats: ['one more'] }],
  ])('a payload to repair rows %s is refused', (_what, repair) => {
    expect(refusal({ repair })).not.toMatch(/^taken:/);
  });

  test('a payload may name as many rows as one run repairs', () => {
    expect(parseCommand({ repair: { assets: ids(MAX_REPAIR) } }, ALL).repair?.assets).toHaveLength(MAX_REPAIR);
  });

  test.each([
    ['an unknown member', { resinc: ['assets'] }],
    ['an unknown stream', { resync: ['unknown'] }],
    ['a stream that is not a string', { replay: [1] }],
    ['a command that is not a list', { resync: 'assets' }],
    ['a command of true', { resync: true }],
    ['a confirmation that is not true', { confirmOrganization: false }],
    ['dead letters, which only people read', { redrive: [] }],
    ['no stream at all', { streams: [] }],
    ['text', 'resync'],
    ['a number', 1],
    ['true', true],
    ['a list', ['assets']],
    ['an empty list', []],
  ])('a payload with %s is refused, and nothing is done', (_what, payload) => {
    expect(refusal(payload)).not.toMatch(/^taken:/);
  });

  test('a refused payload is answered with every fault and the names of the streams', () => {
    const message = refusal({ resync: ['unknown'], replay: [7], other: 1 });
    for (const part of ['resync', 'replay', 'other', 'assets, threats, dns-blocks']) expect(message).toContain(part);
  });

  test('a payload that names a stream that is off is refused', () => {
    expect(refusal({ resync: ['dns-blocks'] }, ['assets', 'threats'])).toMatch(/assets, threats(?!,)/);
  });

  test('a payload with a command for a stream that it leaves out is refused, because the command would not be applied', () => {
    for (const command of [{ resync: ['assets'] }, { replay: ['assets'] }, { repair: { assets: ['a'] } }]) {
      expect(refusal({ streams: ['threats'], ...command })).not.toMatch(/^taken:/);
    }
  });
});
