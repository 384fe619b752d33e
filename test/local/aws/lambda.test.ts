import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  type InvokeCommandOutput,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { describe, expect, test } from '@jest/globals';
import { THROTTLED } from '../../../local/aws/faults.ts';
import { createLambda } from '../../../local/aws/lambda.ts';
import { PLACE, type Served, served } from './served.ts';

const ARN = 'arn:aws:lambda:us-east-1:000000000000:function:poller';

async function scene(invoke: (payload: unknown) => Promise<unknown>): Promise<Served & { client: LambdaClient }> {
  const configuration = () => ({ Timeout: 900, Environment: { Variables: { STATE_TABLE: 'table' } } });
  const each = await served(createLambda({ ...PLACE, functions: [{ name: 'poller', configuration, invoke }] }));
  return { ...each, client: new LambdaClient(each.config) };
}

function call(FunctionName: string, payload?: string): InvokeCommand {
  return new InvokeCommand({ FunctionName, ...(payload === undefined ? {} : { Payload: Buffer.from(payload) }) });
}

function answer({ Payload }: InvokeCommandOutput): unknown {
  return JSON.parse(Payload!.transformToString());
}

describe('Invoke', () => {
  test('passes the payload to the function and returns its result', async () => {
    await using each = await scene(async payload => ({ got: payload, text: 'ü' }));
    const output = await each.client.send(call('poller', '{"streams":["assets"]}'));
    expect(answer(output)).toEqual({ got: { streams: ['assets'] }, text: 'ü' });
    expect(output).toMatchObject({ StatusCode: 200, ExecutedVersion: '$LATEST' });
    expect(output.FunctionError).toBeUndefined();
    expect(each.permissions).toEqual([['lambda:InvokeFunction', ARN]]);
  });

  test('passes an empty object without a payload, and returns null without a result', async () => {
    const seen: unknown[] = [];
    await using each = await scene(async payload => void seen.push(payload));
    expect(answer(await each.client.send(call('poller')))).toBeNull();
    expect(seen).toEqual([{}]);
  });

  test('returns the error of a function that throws, as the runtime writes it', async () => {
    await using each = await scene(async () => {
      throw Object.assign(new Error('It broke.'), { name: 'LeaseBusyError' });
    });
    const output = await each.client.send(call('poller', '{}'));
    expect(output).toMatchObject({ StatusCode: 200, FunctionError: 'Unhandled' });
    expect(answer(output)).toEqual({
      errorType: 'LeaseBusyError',
      errorMessage: 'It broke.',
      trace: expect.arrayContaining([expect.stringContaining('lambda.test.ts')]),
    });
  });

  test('reports the value that a function throws when it is not an error', async () => {
    await using each = await scene(() => Promise.reject('words'));
    expect(answer(await each.client.send(call('poller', '{}')))).toEqual({
      errorType: 'string',
      errorMessage: 'words',
      trace: [],
    });
  });

  test('refuses an unknown function', async () => {
    await using each = await scene(async () => 1);
    await expect(each.client.send(call('nobody', '{}'))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Function not found: arn:aws:lambda:us-east-1:000000000000:function:nobody',
    });
  });

  test('is refused when it is throttled', async () => {
    await using each = await scene(async () => 1);
    each.faults.next('lambda', THROTTLED.lambda);
    await expect(each.client.send(call('poller'))).rejects.toMatchObject({ name: 'TooManyRequestsException' });
  });
});

test('GetFunctionConfiguration returns the settings of a function', async () => {
  await using each = await scene(async () => 1);
  const command = new GetFunctionConfigurationCommand({ FunctionName: 'poller' });
  expect(await each.client.send(command)).toMatchObject({
    FunctionName: 'poller',
    FunctionArn: ARN,
    Timeout: 900,
    Environment: { Variables: { STATE_TABLE: 'table' } },
  });
  expect(each.permissions).toEqual([['lambda:GetFunctionConfiguration', ARN]]);
  const unknown = each.client.send(new GetFunctionConfigurationCommand({ FunctionName: 'nobody' }));
  await expect(unknown).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

test('an unknown path and an unsigned request are refused', async () => {
  await using each = await scene(async () => 1);
  const headers = { authorization: 'AWS4-HMAC-SHA256 Credential=a' };
  const typeOf = (answer: Response) => answer.headers.get('x-amzn-errortype');
  const path = '/2015-03-31/functions/poller';
  for (const [method, target] of [
    ['GET', path],
    ['DELETE', `${path}/configuration`],
    ['POST', '/2014-11-13/functions/poller/invocations'],
  ]) {
    expect(typeOf(await fetch(`${each.url}${target}`, { method: method!, headers }))).toBe('UnknownOperationException');
  }
  expect(typeOf(await fetch(`${each.url}${path}/configuration`))).toBe('MissingAuthenticationTokenException');
  expect(each.calls).toEqual([]);
});
