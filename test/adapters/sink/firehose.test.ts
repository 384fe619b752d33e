import { describe, expect, test } from '@jest/globals';
import type { Sender } from '../../../lambda/aws.ts';
import { DeliveryError, LeaseLostError, OutOfTimeError } from '../../../lambda/core/errors.ts';
import { packRecords } from '../../../lambda/core/records.ts';
import { createDelivery } from '../../../lambda/sink/firehose.ts';
import { type Fault, THROTTLING_FAULTS } from '../../../local/aws/faults.ts';
import { type AwsScene, awsScene } from '../../support/function/aws-scene.ts';
import { expectRejection, rejection, wordsOf } from '../../support/function/rejection.ts';
import { retryBudget, steppedClock } from '../../support/function/stepped-clock.ts';

const LEASE_VALID = async () => undefined;

function delivery(scene: AwsScene, budget?: number) {
  const waiting = budget === undefined ? scene.retryBudget : retryBudget(scene.clock, budget);
  return createDelivery(scene.clients.firehose, scene.aws.names.deliveryStream, waiting);
}

async function delivered(scene: AwsScene): Promise<string[]> {
  return (await scene.aws.delivered()).sort();
}

const TAKEN = { RecordId: 'r' };
const refusedWith = (ErrorCode: string) => ({ ErrorCode, ErrorMessage: 'canary' });

/**
 * A service that gives these answers in turn, and then the last one. `sent` has the names of the
 * records of each call.
 */
function answering(...answers: readonly object[]) {
  const sent: string[] = [];
  const client: Sender = {
    async send({ input }) {
      const records: { readonly Data: Uint8Array }[] = input.Records;
      sent.push(records.map(({ Data }) => Buffer.from(Data).toString().at(-2)).join(''));
      return answers[Math.min(sent.length, answers.length) - 1];
    },
  };
  return { sent, firehose: createDelivery(client, 'stream', retryBudget(steppedClock())) };
}

/** Lines so long that each fills a record of its own, and named by their last characters. */
const large = (count: number) => Array.from({ length: count }, (_, index) => `${index}`.padStart(600_000, 'x'));

describe('event lines', () => {
  test('event lines are packed into one record, in which each line ends in a line feed', async () => {
    await using scene = await awsScene();
    const lines = Array.from({ length: 500 }, (_, index) => `{"n":${index},"text":"ключ🔑\u2028"}`);
    await delivery(scene).deliver(packRecords(lines), LEASE_VALID);
    expect(await delivered(scene)).toEqual(lines.toSorted());
    expect(packRecords(lines)).toHaveLength(1);
    expect(scene.calls.map(({ action, status }) => [action, status])).toEqual([['PutRecordBatch', 200]]);
  });

  test("a delivery never exceeds the service's limits on records, bytes per record and bytes per call", async () => {
    await using scene = await awsScene();
    const lines = [...large(12), '🔑'.repeat(255_999), 'y'.repeat(1_023_999), ...Array(1_400).fill('{}')];
    await delivery(scene).deliver(packRecords(lines), LEASE_VALID);
    expect(await delivered(scene)).toHaveLength(lines.length);
    expect(scene.calls.filter(({ status }) => status !== 200)).toEqual([]);
    expect(scene.count('PutRecordBatch')).toBeGreaterThan(1);
  });
});

describe('a partial failure', () => {
  test('a partial failure sends only the failed records again, so that each line arrives exactly once', async () => {
    await using scene = await awsScene();
    const lines = large(5);
    const patterns = [0b10101, 0b11, 0b1].map((bits): Fault => ({ failItems: index => ((bits >> index) & 1) === 1 }));
    scene.aws.faults.next('firehose', ...patterns);
    await delivery(scene).deliver(packRecords(lines), LEASE_VALID);
    expect(await delivered(scene)).toEqual(lines.toSorted());
  });

  test.each(['canary', 'CanaryRow and more'])(
    'a failure code of Firehose that may contain a row (%j) is not reported',
    async ErrorCode => {
      const { firehose } = answering({ RequestResponses: [refusedWith(ErrorCode)] });
      const error = await rejection(firehose.deliver(packRecords(['row']), LEASE_VALID));
      expect(error.message).toContain('unknown code');
      expect(wordsOf(error)).not.toMatch(/canary/i);
    },
  );

  test.each([
    ['that is not throttling', ['InternalFailure', 'InternalFailure'], /InternalFailure/],
    [
      'with mixed codes',
      ['ServiceUnavailableException', 'InternalFailure'],
      /ServiceUnavailableException, InternalFailure/,
    ],
  ])(
    'a delivery with a partial failure %s is tried eight times, then reports the codes',
    async (_what, codes, named) => {
      const { sent, firehose } = answering({ RequestResponses: codes.map(refusedWith) });
      await expectRejection(firehose.deliver(packRecords(large(2)), LEASE_VALID), 'DeliveryError', named);
      expect(sent).toHaveLength(8);
    },
  );
});

describe('an acknowledgement', () => {
  test.each([
    ['has neither an id nor a code', {}],
    ['has an empty id', { RecordId: '' }],
    ['has an id and a code', { RecordId: 'r', ErrorCode: 'InternalFailure' }],
    ['is null', null],
  ])('a record is sent again while its entry in the answer %s', async (_what, entry) => {
    const { sent, firehose } = answering(
      { RequestResponses: [TAKEN, entry, TAKEN] },
      { RequestResponses: [entry] },
      { RequestResponses: [TAKEN] },
    );
    await firehose.deliver(packRecords(large(3)), LEASE_VALID);
    expect(sent).toEqual(['012', '1', '1']);
  });

  test('a record whose acknowledgement has neither id nor code fails the delivery after eight tries', async () => {
    const { sent, firehose } = answering({ FailedPutCount: 0, RequestResponses: [{}] });
    const error = await rejection(firehose.deliver(packRecords(['{}']), LEASE_VALID));
    expect(error).toBeInstanceOf(DeliveryError);
    expect(sent).toHaveLength(8);
  });

  test.each([
    ['no entries', {}],
    ['fewer entries than records', { RequestResponses: [TAKEN, TAKEN] }],
    ['more entries than records', { RequestResponses: [TAKEN, TAKEN, TAKEN, TAKEN] }],
    ['more failures than entries that failed', { FailedPutCount: 1, RequestResponses: [TAKEN, TAKEN, TAKEN] }],
    [
      'fewer failures than entries with a code',
      { FailedPutCount: 0, RequestResponses: [TAKEN, refusedWith('x'), TAKEN] },
    ],
  ])('a call to Firehose whose answer has %s is repeated with all of its records', async (_what, answer) => {
    const { sent, firehose } = answering(answer, { FailedPutCount: 0, RequestResponses: [TAKEN, TAKEN, TAKEN] });
    await firehose.deliver(packRecords(large(3)), LEASE_VALID);
    expect(sent).toEqual(['012', '012']);
  });
});

describe('the lease', () => {
  const TRIES = 3;

  test.each([
    ['an answer that was lost', { loseAnswer: true }],
    ['a partial refusal', { failItems: () => true }],
    ['throttling', THROTTLING_FAULTS.firehose],
  ])(
    'the lease is checked before each try after %s, so a run without the lease sends nothing',
    async (_what, fault) => {
      await using scene = await awsScene();
      scene.aws.faults.always('firehose', fault);
      const lost = new LeaseLostError('another run has taken it over');
      let checks = 0;
      const assertLeaseValid = async () => {
        if (++checks > TRIES) throw lost;
      };
      expect(await rejection(delivery(scene).deliver(packRecords(['{}']), assertLeaseValid))).toBe(lost);
      expect(scene.count('PutRecordBatch')).toBe(TRIES);
    },
  );

  test('a delivery does not send anything more after it has rejected', async () => {
    let calls = 0;
    const client: Sender = {
      async send({ input }) {
        calls++;
        const first = Buffer.from(input.Records[0].Data).toString().startsWith('0');
        if (first) throw Object.assign(new Error('No.'), { name: 'AccessDeniedException' });
        return { RequestResponses: input.Records.map(() => ({ ErrorCode: 'ServiceUnavailableException' })) };
      },
    };
    const lines = Array.from({ length: 12 }, (_, index) => `${index % 10}`.padEnd(600_000, 'x'));
    const error = await rejection(
      createDelivery(client, 'stream', retryBudget(steppedClock())).deliver(packRecords(lines), LEASE_VALID),
    );
    const before = calls;
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(error).toBeInstanceOf(DeliveryError);
    expect(calls).toBe(before);
    expect(calls).toBeLessThan(10);
  });
});

describe('throttling', () => {
  test('throttled records are sent again without a limit on the number of tries', async () => {
    await using scene = await awsScene();
    scene.aws.faults.next('firehose', ...Array<Fault>(15).fill({ failItems: () => true }));
    await delivery(scene).deliver(packRecords(['{}']), LEASE_VALID);
    expect(await delivered(scene)).toEqual(['{}']);
    expect(scene.clock.pauses.slice(0, 4)).toEqual([50, 100, 200, 400]);
  });

  test('throttled records are retried until the time budget ends, and the error then names the time budget', async () => {
    await using scene = await awsScene();
    scene.aws.faults.always('firehose', THROTTLING_FAULTS.firehose);
    expect(await rejection(delivery(scene, 60_000).deliver(packRecords(['{}']), LEASE_VALID))).toBeInstanceOf(
      OutOfTimeError,
    );
    expect(scene.clock.pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThan(60_000);
    expect(scene.count('PutRecordBatch')).toBeGreaterThan(10);
  });
});

test('a call that Firehose refuses stops the stream at once', async () => {
  await using scene = await awsScene();
  scene.aws.faults.always('firehose', { refuse: { status: 400, code: 'AccessDeniedException', message: 'No.' } });
  await expectRejection(
    delivery(scene).deliver(packRecords(['canary']), LEASE_VALID),
    'DeliveryError',
    'AccessDeniedException',
  );
  expect(scene.count('PutRecordBatch')).toBe(1);
});
