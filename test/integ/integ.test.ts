import { describe, expect, test } from '@jest/globals';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { readConnectors } from '../../lib/config/read-connectors.ts';
import { ConnectorStack } from '../../lib/connector-stack.ts';
import { createApp, templateOf } from '../lib/synth.ts';
import { only, resources } from '../lib/template.ts';
import { basic } from '../local/platform/tenant.ts';
import { COUNTS, givenPlatform } from './given-platform.ts';
import { connectorOn } from './names.ts';
import { PlatformStack } from './platform-stack.ts';

const TENANT = { seed: 5, clientSecret: 'a+b:c' };
process.env['TENANT'] = JSON.stringify(TENANT);
const { handler } = await import('./platform-function.ts');

function event(method: string, path: string, headers: Record<string, string>, body = ''): LambdaFunctionURLEvent {
  const [rawPath = '', rawQueryString = ''] = path.split('?');
  const encoded = Buffer.from(body).toString('base64');
  const requestContext = { http: { method } } as LambdaFunctionURLEvent['requestContext'];
  return {
    rawPath,
    rawQueryString,
    headers,
    body: encoded,
    isBase64Encoded: true,
    requestContext,
  } as LambdaFunctionURLEvent;
}

describe('what npm run integ deploys', () => {
  test('serves the platform behind a URL, with its settings in the environment', () => {
    const template = templateOf(new PlatformStack(createApp(), 'Platform', JSON.stringify(TENANT)));
    expect(only(template, 'AWS::Lambda::Url')).toMatchObject({ AuthType: 'NONE' });
    const environment = only(template, 'AWS::Lambda::Function')['Environment'] as { Variables: { TENANT: string } };
    expect(JSON.parse(environment.Variables.TENANT)).toEqual(TENANT);
    expect(template.Outputs).toHaveProperty('Url');
  });

  test('is the connector on it, which runs only when it is invoked and of which nothing stays', () => {
    const [config] = readConnectors([connectorOn('https://abc.lambda-url.eu-west-1.on.aws/')]);
    const template = templateOf(new ConnectorStack(createApp(), config!));
    expect(only(template, 'AWS::Scheduler::Schedule')).toMatchObject({ State: 'DISABLED' });
    const kept = ['AWS::S3::Bucket', 'AWS::DynamoDB::Table', 'AWS::SecretsManager::Secret'].flatMap(type =>
      resources(template, type).map(({ DeletionPolicy }) => DeletionPolicy),
    );
    expect(new Set(kept)).toEqual(new Set(['Delete']));
    expect(template.Outputs).toHaveProperty('BucketName');
  });
});

describe('the platform behind a function URL', () => {
  test('hands out tokens and pages', async () => {
    const { tokenPath, account } = givenPlatform(TENANT);
    const headers = {
      authorization: basic(account.clientId, TENANT.clientSecret),
      'content-type': 'application/x-www-form-urlencoded',
    };
    const issued = (await handler(event('POST', tokenPath, headers, 'grant_type=client_credentials'))) as {
      body: string;
    };
    const authorization = `Bearer ${JSON.parse(issued.body).access_token}`;
    const page = await handler(event('GET', '/v1/assets?limit=500', { authorization }));
    expect(page).toMatchObject({ statusCode: 200 });
    expect(JSON.parse((page as { body: string }).body).data).toHaveLength(COUNTS.assets);
  });

  test('is the same in every instance: rows, cursors and tokens of one are good in another', async () => {
    const [one, other] = [givenPlatform(TENANT), givenPlatform(TENANT)];
    expect([...one.truthText()]).toEqual([...other.truthText()]);
    const authorization = `Bearer ${await one.authority.issue()}`;
    const read = async (from: typeof one, query: string) => {
      const answer = await from.fetch(new Request(`http://any/v1/threats?${query}`, { headers: { authorization } }));
      return (await answer.json()) as { readonly pagination: { readonly next_cursor: string } };
    };
    const cursor = (await read(one, 'limit=7')).pagination.next_cursor;
    const query = new URLSearchParams({ limit: '9', cursor }).toString();
    expect(await read(other, query)).toEqual(await read(one, query));
  });
});
