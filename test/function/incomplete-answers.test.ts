/** The whole function, with a server before one service of AWS whose answers lack what their protocol promises. */
import { expect, test } from '@jest/globals';
import { json, list } from '../../local/incidents/tampered-api.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { type Act, httpHarness } from '../support/function/http-harness.ts';
import { rejection } from '../support/function/rejection.ts';

const GOOD = '{"id":"good","updated_at":"2026-11-20T12:00:00Z","stream_position":"1"}';
const PAGE = `{"data":[${GOOD},{"name":"no id"}],"p":{"next_cursor":null,"page_size":2}}`;

/** Answers one action of a service itself until `isHonest`: the call has no effect, and the answer does not say that it had one. */
async function lying(each: Connector, service: string, action: string, lie: Act) {
  const variable = `AWS_ENDPOINT_URL_${service}`;
  const { [variable]: url = '' } = each.environment;
  const control = { lies: 0, isHonest: false };
  const server = await httpHarness(async (response, request, bytes) => {
    const { method, target, headers } = request;
    const called = String(headers['x-amz-target'] ?? method)
      .split('.')
      .at(-1);
    if (called === action && !control.isHonest) {
      control.lies++;
      return lie(response, request, bytes);
    }
    const kept = Object.entries(headers).filter(([name]) => /^(authorization|content-type|x-amz-.*)$/.test(name));
    const init = { method, headers: Object.fromEntries(kept) as Record<string, string>, body: bytes! };
    const reply = await fetch(url + target, init);
    return response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.bytes());
  });
  // The SDK looks for its endpoints at each client's first call.
  process.env[variable] = server.url;
  return { ...server, control };
}

const empty: Act = response => response.writeHead(200).end();
const records = (...entries: object[]): Act => json(200, { FailedPutCount: 0, RequestResponses: entries });

test.each<[string, string, string, Act, string]>([
  ['Firehose without RecordId', 'FIREHOSE', 'PutRecordBatch', records({}), 'DeliveryError'],
  ['Firehose without entries', 'FIREHOSE', 'PutRecordBatch', json(200, {}), 'DeliveryError'],
  ['BatchGetItem without the table', 'DYNAMODB', 'BatchGetItem', json(200, { Responses: {} }), 'StateError'],
  [
    'BatchGetItem without UnprocessedKeys',
    'DYNAMODB',
    'BatchGetItem',
    json(200, { Responses: { 'security-data-connector-state': [] } }),
    'StateError',
  ],
  ['BatchWriteItem without UnprocessedItems', 'DYNAMODB', 'BatchWriteItem', json(200, {}), 'StateError'],
  ['Query without Items', 'DYNAMODB', 'Query', json(200, { Count: 0 }), 'StateError'],
  ['PutItem without a body', 'DYNAMODB', 'PutItem', empty, 'StateError'],
  ['UpdateItem without a body', 'DYNAMODB', 'UpdateItem', empty, 'StateError'],
  ['PutObject without ETag', 'S3', 'PUT', empty, 'DeadLetterError'],
  ['GetSecretValue without SecretString', 'SECRETS_MANAGER', 'GetSecretValue', json(200, {}), 'CredentialsError'],
])('an answer of %s fails the run, and the next run sends every row', async (_what, service, action, lie, name) => {
  await using each = await connector();
  each.api.tamper(list('/v1/assets', json(200, PAGE)));
  await using server = await lying(each, service, action, lie);
  const error = await rejection(each.run());
  expect(`${error.name} ${error.message}`).toContain(name);
  expect(server.control.lies).toBeGreaterThan(0);
  server.control.isHonest = true;
  each.clock.advance(60_001);
  expect((await each.run()).streams['assets']).toMatchObject({ caughtUp: true });
  const sent = (await each.lines()).map(line => JSON.parse(line).id);
  expect([...new Set(sent)]).toEqual(['good']);
  expect((await each.aws.deadLetters()).size).toBe(1);
});
