import { describe, expect, test } from '@jest/globals';
import type { Sender } from '../../../lambda/aws.ts';
import { DeliveryError, LeaseLostError, OutOfTimeError } from '../../../lambda/core/errors.ts';
import { packRecords } from '../../../lambda/core/records.ts';
import { createDelivery } from '../../../lambda/sink/firehose.ts';
import { type Fault, THROTTLING_FAULTS } from '../../../local/aws/faults.ts';
import { type AwsScene, awsScene } from '../../support/function/aws-scene.ts';
import { rejection, wordsOf } from '../../support/function/rejection.ts';
import { retryBudget, steppedClock } from '../../support/function/stepped-clock.ts';

const LEASE_VALID = async () => undefined;

function delivery(scene: AwsScene, budget?: number) {
  const waiting = budget === undefined ? scene.retryBudget : retryBudget(scene.clock, budget);
  return createDelivery(scene.clients.firehose, scene.aws.names.deliveryStream, waiting);
}

async function delivered(scene: AwsScene): Promise<string[]> {
  return (await scene.aws.delivered()).sort();
}

/** A service that answers each record of a call with the code for it, or takes it. */
function answering(codeOf: (call: number, record: number) => string | undefined) {
  const service = {
    calls: 0,
    async send({ input }: { readonly input: { readonly Records: readonly unknown[] } }) {
      const call = ++service.calls;
      const codes = input.Records.map((_, record) => codeOf(call, record));
      return {
        RequestResponses: codes.map(ErrorCode =>
          ErrorCode === undefined ? { RecordId: 'r' } : { ErrorCode, ErrorMessage: 'canary' },
        ),
      };
    },
  };
  return { service, firehose: createDelivery(service as Sender, 'stream', retryBudget(steppedClock())) };
}

/** Lines so long that each fills a record of its own. */
const large = (count: number) => Array.from({ length: count }, (_, index) => `${index}`.padStart(600_000, 'x'));

describe('event lines', () => {
  test('event lines arrive, each ending in a line feed, packed into one record', async () => {
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
  test('a partial failure sends only the failed records again, so each line is delivered exactly once', async () => {
    await using scene = await awsScene();
    const lines = large(5);
    const patterns = [0b10101, 0b11, 0b1].map((bits): Fault => ({ failItems: index => ((bits >> index) & 1) === 1 }));
    scene.aws.faults.next('firehose', ...patterns);
    await delivery(scene).deliver(packRecords(lines), LEASE_VALID);
    expect(await delivered(scene)).toEqual(lines.toSorted());
  });

  test.each(['canary', 'CanaryRow and more'])(
    'a partial failure whose code may echo a row (%j) stops the stream and does not show the code',
    async ErrorCode => {
      const error = await rejection(answering(() => ErrorCode).firehose.deliver(packRecords(['row']), LEASE_VALID));
      expect(error.message).toContain('unknown code');
      expect(wordsOf(error)).not.toMatch(/canary/i);
    },
  );

  test.each([
    ['that is no throttling', ['InternalFailure', 'InternalFailure'], /InternalFailure/],
    [
      'with mixed codes',
      ['ServiceUnavailableException', 'InternalFailure'],
      /ServiceUnavailableException, InternalFailure/,
    ],
  ])('a partial failure %s is tried eight times, then stops the stream with its codes', async (_what, codes, named) => {
    const { service, firehose } = answering((_call, record) => codes[record]);
    const error = await rejection(firehose.deliver(packRecords(large(2)), LEASE_VALID));
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error.message).toMatch(named);
    expect(service.calls).toBe(8);
    expect(wordsOf(error)).not.toContain('canary');
  });
});

describe('an acknowledgement', () => {
  const taken = { RecordId: 'r' };
  const refused = { ErrorCode: 'InternalFailure' };

  /** A service that gives these answers in turn. `sent` has the names of the records of each call. */
  function answeringInTurn(...answers: readonly object[]) {
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

  /** Three records, each named by the last character of its line. */
  const three = ['0', '1', '2'].map(name => name.padStart(600_000, 'x'));

  test.each([
    ['has neither an id nor a code', {}],
    ['has an empty id', { RecordId: '' }],
    ['has an id and a code', { RecordId: 'r', ErrorCode: 'InternalFailure' }],
    ['is null', null],
  ])('a record is sent again while its entry %s', async (_what, entry) => {
    const { sent, firehose } = answeringInTurn(
      { RequestResponses: [taken, entry, taken] },
      { RequestResponses: [entry] },
      { RequestResponses: [taken] },
    );
    await firehose.deliver(packRecords(three), LEASE_VALID);
    expect(sent).toEqual(['012', '1', '1']);
  });

  test('a record without an id or a code in its entry fails the delivery after eight tries', async () => {
    const { sent, firehose } = answeringInTurn({ FailedPutCount: 0, RequestResponses: [{}] });
    const error = await rejection(firehose.deliver(packRecords(['{}']), LEASE_VALID));
    expect(error).toBeInstanceOf(DeliveryError);
    expect(sent).toHaveLength(8);
  });

  test.each([
    ['no entries', {}],
    ['fewer entries than records', { RequestResponses: [taken, taken] }],
    ['more entries than records', { RequestResponses: [taken, taken, taken, taken] }],
    ['more failures than entries that failed', { FailedPutCount: 1, RequestResponses: [taken, taken, taken] }],
    ['fewer failures than entries with a code', { FailedPutCount: 0, RequestResponses: [taken, refused, taken] }],
  ])('a call whose answer has %s is made again with all of its records', async (_what, answer) => {
    const { sent, firehose } = answeringInTurn(answer, {
      FailedPutCount: 0,
      RequestResponses: [taken, taken, taken],
    });
    await firehose.deliver(packRecords(three), LEASE_VALID);
    expect(sent).toEqual(['012', '012']);
  });
});

describe('the lease', () => {
  const TRIES = 3;

  test.each([
    ['an answer that was lost', { loseAnswer: true }],
    ['a partial refusal', { failItems: () => true }],
    ['throttling', THROTTLING_FAULTS.firehose],
  ])('the lease is checked before each try after %s, so a run that lost it sends nothing', async (_what, fault) => {
    await using scene = await awsScene();
    scene.aws.faults.always('firehose', fault);
    const lost = new LeaseLostError('another run has taken it over');
    let checks = 0;
    const assertLeaseValid = async () => {
      if (++checks > TRIES) throw lost;
    };
    expect(await rejection(delivery(scene).deliver(packRecords(['{}']), assertLeaseValid))).toBe(lost);
    expect(scene.count('PutRecordBatch')).toBe(TRIES);
  });

  test('nothing is sent once a call has failed and the delivery has rejected', async () => {
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
  test.each([
    ['of whole calls', THROTTLING_FAULTS.firehose],
    ['of every record', { failItems: () => true }],
  ])('throttling %s backs off without a limit on tries', async (_what, fault) => {
    await using scene = await awsScene();
    scene.aws.faults.next('firehose', ...Array<Fault>(15).fill(fault));
    await delivery(scene).deliver(packRecords(['{}']), LEASE_VALID);
    expect(await delivered(scene)).toEqual(['{}']);
    expect(scene.clock.pauses.slice(0, 4)).toEqual([50, 100, 200, 400]);
  });

  test('throttling is retried until the time budget ends, then the error says that time ran out', async () => {
    await using scene = await awsScene();
    scene.aws.faults.always('firehose', THROTTLING_FAULTS.firehose);
    expect(await rejection(delivery(scene, 60_000).deliver(packRecords(['{}']), LEASE_VALID))).toBeInstanceOf(
      OutOfTimeError,
    );
    expect(scene.clock.pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThan(60_000);
    expect(scene.count('PutRecordBatch')).toBeGreaterThan(10);
  });
});

describe('a call', () => {
  test.each([
    ['whose request was lost', { loseRequest: true }, 1],
    ['whose answer was lost', { loseAnswer: true }, 3],
    ['that failed with status 500', { refuse: { status: 500, code: 'InternalFailure', message: 'Sorry.' } }, 1],
  ])('a call %s is repeated, so every line is delivered at least once', async (_what, fault, copies) => {
    await using scene = await awsScene();
    scene.aws.faults.next('firehose', fault, fault);
    await delivery(scene).deliver(packRecords(['{}']), LEASE_VALID);
    expect(await delivered(scene)).toEqual(Array(copies).fill('{}'));
  });

  test.each([
    ['ResourceNotFoundException', 400],
    ['AccessDeniedException', 400],
  ])('a call refused with %s stops the stream at once', async (code, status) => {
    await using scene = await awsScene();
    scene.aws.faults.always('firehose', { refuse: { status, code, message: 'No.' } });
    const error = await rejection(delivery(scene).deliver(packRecords(['canary']), LEASE_VALID));
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error.message).toContain(code);
    expect(scene.count('PutRecordBatch')).toBe(1);
    expect(wordsOf(error)).not.toContain('canary');
  });

  test('a call that keeps failing is given up after eight tries', async () => {
    await using scene = await awsScene();
    scene.aws.faults.always('firehose', { loseRequest: true });
    expect(await rejection(delivery(scene).deliver(packRecords(['{}']), LEASE_VALID))).toBeInstanceOf(DeliveryError);
    expect(scene.count('PutRecordBatch')).toBe(8);
  });
});
