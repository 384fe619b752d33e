import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import { createAwsClients } from '../../lambda/aws.ts';
import { leaseTimes } from '../../lambda/lease-times.ts';
import { LEASE_SECONDS } from '../../lambda/setting-rules.ts';

const EVERY = Array.from({ length: LEASE_SECONDS.max }, (_, index) => index + LEASE_SECONDS.min);

test('for every LEASE_SECONDS a request that starts while the lease is valid ends before the lease does', () => {
  for (const seconds of EVERY) {
    const { term, margin, requestTimeout, connectionTimeout } = leaseTimes(seconds);
    expect(requestTimeout).toBeLessThan(margin);
    expect(connectionTimeout).toBeLessThanOrEqual(requestTimeout);
    // Renewed three times a term: right after a renewal a write may start without another one.
    expect(margin).toBeLessThan((term * 2) / 3);
  }
});

test('an AWS request without an answer ends after the time-out that follows from the lease', async () => {
  await using server = createServer(() => undefined).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  const { dynamodb } = createAwsClients({ s3PathStyle: true, leaseSeconds: 1 });
  const command = new GetItemCommand({ TableName: 'table', Key: { pk: { S: 'a' }, sk: { S: 'a' } } });
  await expect(dynamodb.send(command)).rejects.toMatchObject({
    name: 'TimeoutError',
    message: expect.stringContaining(`${leaseTimes(1).requestTimeout} ms`),
  });
  server.closeAllConnections();
});
