import { describe, expect, test } from '@jest/globals';
import { CommandError, MAX_REDRIVE, parseCommand } from '../../lambda/command.ts';
import { STREAMS, type StreamName } from '../../lambda/streams.ts';

const ALL = STREAMS.map(stream => stream.name);

/** The message of the CommandError, or what was taken instead. */
function refusal(payload: unknown, known: readonly StreamName[] = ALL): string {
  try {
    return `taken: ${JSON.stringify(parseCommand(payload, known, 'acme'))}`;
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
    expect(parseCommand(payload, ALL, 'acme')).toEqual({ streams: undefined, resync: [], replay: [], redrive: [] });
  });

  test('a payload may name streams in any order, and they are read in their own order', () => {
    expect(parseCommand({ streams: ['threats', 'assets'] }, ALL, 'acme').streams).toEqual(['assets', 'threats']);
  });

  test('a payload may command a resync and a replay', () => {
    const command = { resync: ['assets'], replay: ['dns-blocks', 'threats'] };
    expect(parseCommand(command, ALL, 'acme')).toEqual({ streams: undefined, ...command, redrive: [] });
  });

  test('a payload may name dead letters of the connector, and their keys say which stream they belong to', () => {
    const redrive = ['dead-letter/acme/threats/oversize/0a1b.json', 'dead-letter/acme/dns-blocks/no-id/2c.json'];
    expect(parseCommand({ redrive }, ALL, 'acme').redrive).toEqual([
      { key: redrive[0], stream: 'threats' },
      { key: redrive[1], stream: 'dns-blocks' },
    ]);
  });

  test.each([
    ['of another connector', 'dead-letter/acme-2/threats/oversize/0a1b.json'],
    ['of another prefix', 'events/acme/threats/oversize/0a1b.json'],
    ['of an unknown stream', 'dead-letter/acme/unknown/oversize/0a1b.json'],
    ['of a stream that is off', 'dead-letter/acme/dns-blocks/oversize/0a1b.json'],
    ['that leads elsewhere', 'dead-letter/acme/threats/../../../events/0a1b.json'],
    ['that has no name', 'dead-letter/acme/threats/oversize/'],
    ['that is not a string', 7],
  ])('a payload with a dead letter %s is refused', (_what, key) => {
    expect(() => parseCommand({ redrive: [key] }, ['assets', 'threats'], 'acme')).toThrow(CommandError);
  });

  test('a payload with more dead letters than one run may try again is refused', () => {
    const redrive = Array.from({ length: MAX_REDRIVE + 1 }, (_, at) => `dead-letter/acme/threats/no-id/${at}.json`);
    expect(() => parseCommand({ redrive }, ALL, 'acme')).toThrow(/500/);
  });

  test.each([
    ['an unknown member', { resinc: ['assets'] }],
    ['an unknown stream', { resync: ['unknown'] }],
    ['a stream that is not a string', { replay: [1] }],
    ['a command that is not a list', { resync: 'assets' }],
    ['a command of true', { resync: true }],
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
    for (const command of [
      { resync: ['assets'] },
      { replay: ['assets'] },
      { redrive: ['dead-letter/acme/assets/no-id/0a1b.json'] },
    ]) {
      expect(refusal({ streams: ['threats'], ...command })).not.toMatch(/^taken:/);
    }
  });
});
