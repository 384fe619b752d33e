import { describe, expect, test } from '@jest/globals';
import { createRandom } from '../../../local/api-simulator/random.ts';
import type { Call } from '../../../local/aws/wire.ts';
import { type Moment, randomMoment, Trigger } from './trigger.ts';

const OTHERS = ['BatchGetItem', 'PutItem', 'PutRecordBatch'];

/** Outcome of a run that takes the lease at its second call and makes three more calls. */
function killedDuring(moment: Moment, takeStatus = 200): string[] {
  const seen: string[] = [];
  const later = (turns: number, callback: () => void): void => {
    if (turns > 0) seen.push(`after ${turns} turns`);
    callback();
  };
  const trigger = new Trigger(moment, action => seen.push(`killed at ${action}`), later);
  const call = (action: string, status = 200): void => {
    const operation = { action, permission: '', resource: '' };
    if (trigger.arrives(operation).loseRequest) seen.push('request lost');
    else trigger.done({ ...operation, service: 'dynamodb', status } satisfies Call);
  };
  call('GetSecretValue');
  call('UpdateItem', takeStatus);
  for (const action of OTHERS) call(action);
  return seen;
}

describe('the moment at which a run is killed', () => {
  test.each<[Moment, string[]]>([
    [{ call: 0, place: 'answer-lost', turns: 9 }, ['killed at UpdateItem']],
    [{ call: 2, place: 'answer-lost', turns: 9 }, ['killed at PutItem']],
    [{ call: 2, place: 'request-lost', turns: 9 }, ['killed at PutItem', 'request lost']],
    [{ call: 3, place: 'later', turns: 9 }, ['after 10 turns', 'killed at PutRecordBatch']],
    [{ call: 4, place: 'answer-lost', turns: 9 }, []],
  ])('%p: %p', (moment, seen) => {
    expect(killedDuring(moment)).toEqual(seen);
  });

  test('is never one of a run that finds the lease held', () => {
    expect(killedDuring({ call: 0, place: 'answer-lost', turns: 0 }, 400)).toEqual([]);
  });

  test('depends on the seed alone, and all places occur', () => {
    const moments = (seed: number): Moment[] => {
      const random = createRandom(seed);
      return Array.from({ length: 200 }, () => randomMoment(random));
    };
    expect(moments(7)).toEqual(moments(7));
    expect(moments(7)).not.toEqual(moments(8));
    expect(new Set(moments(7).map(({ place }) => place)).size).toBe(3);
    expect(moments(7).filter(({ call, place }) => call === 0 && place === 'request-lost')).toEqual([]);
  });
});
