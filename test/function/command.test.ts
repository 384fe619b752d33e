import { describe, expect, test } from '@jest/globals';
import { CommandError, parseCommand } from '../../lambda/command.ts';
import { STREAMS, type StreamName } from '../../lambda/streams.ts';

const ALL = STREAMS.map(stream => stream.name);
/** As the digest of an organization looks. */
const DIGEST = Array(3).fill('0123456789abcdef').join('-');
/** As the digest of withdrawals looks. */
const WITHDRAWALS = '0123456789abcdef'.repeat(2);

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
    ['the event of an EventBridge rule', { version: '0', 'detail-type': 'Scheduled Event', detail: {} }],
  ])('a payload that is %s selects all streams without a command', (_what, payload) => {
    expect(parseCommand(payload, ALL)).toEqual({ streams: undefined, resync: [], replay: [] });
  });

  test('a payload cannot change the order in which its streams are read', () => {
    expect(parseCommand({ streams: ['threats', 'assets'] }, ALL).streams).toEqual(['assets', 'threats']);
  });

  test('a payload may command a resync and a replay', () => {
    const command = { resync: ['assets'], replay: ['dns-blocks', 'threats'] };
    expect(parseCommand(command, ALL)).toMatchObject({ streams: undefined, ...command });
  });

  test('a payload may command a replay of the events after a given time', () => {
    const command = { replay: ['threats'], since: '2026-11-24T09:00:00+01:00' };
    expect(parseCommand(command, ALL)).toMatchObject({ replay: ['threats'], since: Date.UTC(2026, 10, 24, 8) });
  });

  test('a payload may confirm the organization and the withdrawals', () => {
    const command = { confirmOrganization: DIGEST, confirmWithdrawals: WITHDRAWALS };
    expect(parseCommand(command, ALL)).toMatchObject(command);
  });

  test.each([
    ['an unknown member', { resinc: ['assets'] }],
    ['an unknown stream', { resync: ['unknown'] }],
    ['a stream that is not a string', { replay: [1] }],
    ['a command that is not a list', { resync: 'assets' }],
    ['a command of true', { resync: true }],
    ['a time without a replay', { resync: ['assets'], since: '2026-11-24T08:00:00Z' }],
    ['a time without a zone', { replay: ['assets'], since: '2026-11-24T08:00:00' }],
    ['a time that does not exist', { replay: ['assets'], since: '2026-13-24T08:00:00Z' }],
    ['a confirmation of whatever the credentials are', { confirmOrganization: true }],
    ['a confirmation that is not a digest', { confirmOrganization: 'acme' }],
    ['a confirmation of whatever withdrawals wait', { confirmWithdrawals: true }],
    ['the digest of an organization for withdrawals', { confirmWithdrawals: DIGEST }],
    ['a command in an event of EventBridge', { 'detail-type': 'x', resync: ['assets'] }],
    ['a command in the detail of an event', { 'detail-type': 'x', detail: { replay: ['assets'] } }],
    ['no stream at all', { streams: [] }],
    ['text', 'resync'],
    ['a number', 1],
    ['true', true],
    ['a list', ['assets']],
    ['an empty list', []],
  ])('a payload with %s is refused before anything is done', (_what, payload) => {
    expect(refusal(payload)).not.toMatch(/^taken:/);
  });

  test('a refused payload is answered with every problem and with the names of the streams', () => {
    const message = refusal({ resync: ['unknown'], replay: [7], other: 1 });
    for (const part of ['resync', 'replay', 'other', 'assets, threats, dns-blocks']) expect(message).toContain(part);
  });

  test('a payload that names a stream that is not configured is refused', () => {
    expect(refusal({ resync: ['dns-blocks'] }, ['assets', 'threats'])).toMatch(/assets, threats(?!,)/);
  });

  test('a payload is refused if it has a command for a stream that it leaves out', () => {
    for (const command of [{ resync: ['assets'] }, { replay: ['assets'] }]) {
      expect(refusal({ streams: ['threats'], ...command })).not.toMatch(/^taken:/);
    }
  });

  const LONG = 'x'.repeat(1_000_000);
  const MANY = Array.from({ length: 200_000 }, (_, index) => `wrong-${index}`);
  test.each<[string, object]>([
    ['200,000 wrong names of streams', { streams: MANY, resync: MANY, replay: MANY }],
    ['200,000 wrong values', { resync: MANY.map(() => 7), replay: MANY.map(() => '') }],
    ['200,000 wrong members', Object.fromEntries(MANY.map(name => [name, 1]))],
    ['a name of a million characters', { [LONG]: 1 }],
    ['a command of a million characters', { resync: LONG, confirmWithdrawals: LONG }],
  ])('a payload with %s is refused in less than 3,000 characters', (_what, payload) => {
    const message = refusal(payload);
    expect(message).toMatch(/nothing was done/);
    expect(message.length).toBeLessThan(3_000);
  });

  test('a payload with too many problems for an error message is answered with the number of problems', () => {
    expect(refusal({ streams: MANY.slice(0, 50) })).toMatch(/streams\.9 .*and 40 more/);
  });

  test.each([
    ['\u001b[2J\r\nlevel: fine', '\\u{1b}[2J\\u{d}\\u{a}level: fine'],
    ['a\u202eb\u200b\u2028', 'a\\u{202e}b\\u{200b}\\u{2028}'],
    ['\ud800', '\\u{d800}'],
  ])('control characters in a name of a payload are shown as escapes in the refusal: %j', (name, escaped) => {
    const message = refusal({ [name]: 1 });
    expect(message).toContain(escaped);
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028]/u);
  });

  test('a refused payload is answered without its values, which may be ids of rows', () => {
    const payload = { resync: 'canary', replay: [{ canary: 1 }], streams: 'canary', confirmWithdrawals: 'canary' };
    expect(refusal(payload)).not.toContain('canary');
  });
});
