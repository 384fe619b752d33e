import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { describe, expect, test } from '@jest/globals';
import { createCloudFormation, type LocalStack, stackId } from '../../../local/aws/cloudformation.ts';
import { THROTTLED } from '../../../local/aws/faults.ts';
import { PLACE, type Served, served } from './served.ts';

const CREATED = Date.UTC(2026, 0, 2, 3, 4, 5);

function stack(name: string, more: Partial<LocalStack> = {}): LocalStack {
  return { name, outputs: [], ...more };
}

const ACME = stack('acme', {
  status: 'UPDATE_COMPLETE',
  description: 'Who & what: <"acme">',
  outputs: [
    { key: 'FunctionName', value: 'poller ü&<>" &amp;', description: 'The function', exportName: 'a:acme:Name' },
    { key: 'Empty', value: '' },
  ],
});

async function scene(stacks: readonly LocalStack[]): Promise<Served & { client: CloudFormationClient }> {
  const each = await served(createCloudFormation({ ...PLACE, stacks, created: CREATED }));
  return { ...each, client: new CloudFormationClient(each.config) };
}

describe('DescribeStacks', () => {
  test('describes a stack by its name or its id, with every value as given', async () => {
    await using each = await scene([stack('other'), ACME]);
    for (const StackName of ['acme', stackId(PLACE, 'acme')]) {
      const { Stacks } = await each.client.send(new DescribeStacksCommand({ StackName }));
      expect(Stacks).toHaveLength(1);
      expect(Stacks![0]).toMatchObject({
        StackId: stackId(PLACE, 'acme'),
        StackName: 'acme',
        StackStatus: 'UPDATE_COMPLETE',
        Description: 'Who & what: <"acme">',
        CreationTime: new Date(CREATED),
        Outputs: [
          {
            OutputKey: 'FunctionName',
            OutputValue: 'poller ü&<>" &amp;',
            Description: 'The function',
            ExportName: 'a:acme:Name',
          },
          { OutputKey: 'Empty', OutputValue: '' },
        ],
      });
    }
    const permission = 'cloudformation:DescribeStacks';
    expect(each.permissions).toEqual([
      [permission, stackId(PLACE, 'acme')],
      [permission, stackId(PLACE, 'acme')],
    ]);
  });

  test('refuses a missing stack with a message of the service that names the stack', async () => {
    await using each = await scene([stack('acme', { status: 'DELETE_COMPLETE' })]);
    for (const StackName of ['nothing', 'acme']) {
      await expect(each.client.send(new DescribeStacksCommand({ StackName }))).rejects.toMatchObject({
        name: 'ValidationError',
        message: `Stack with id ${StackName} does not exist`,
        $metadata: { httpStatusCode: 400 },
      });
    }
    expect(each.permissions[0]).toEqual([
      'cloudformation:DescribeStacks',
      'arn:aws:cloudformation:us-east-1:000000000000:stack/nothing/*',
    ]);
    const { Stacks } = await each.client.send(new DescribeStacksCommand({ StackName: stackId(PLACE, 'acme') }));
    expect(Stacks![0]!.StackStatus).toBe('DELETE_COMPLETE');
  });

  test('lists all stacks but deleted ones, including stacks added since', async () => {
    const stacks = [...'abc'].map(name => stack(name));
    await using each = await scene(stacks);
    stacks.splice(1, 1, stack('b', { status: 'DELETE_COMPLETE' }));
    stacks.push(stack('d'));
    const { Stacks } = await each.client.send(new DescribeStacksCommand({}));
    expect(Stacks!.map(({ StackName }) => StackName)).toEqual(['a', 'c', 'd']);
  });

  test('returns an empty list for an account without stacks', async () => {
    await using each = await scene([]);
    expect((await each.client.send(new DescribeStacksCommand({}))).Stacks).toEqual([]);
  });
});

describe('the query protocol', () => {
  test('refuses unknown operations, unsigned requests and throttled requests as the service does', async () => {
    await using each = await scene([ACME]);
    const post = async (body: string, signed: boolean) => {
      const headers = signed ? { authorization: 'AWS4-HMAC-SHA256 Credential=a' } : {};
      const answer = await fetch(each.url, { method: 'POST', headers, body });
      const [, type, code] = /<Type>(.*)<\/Type><Code>(.*)<\/Code>/.exec(await answer.text()) ?? [];
      return [answer.status, type, code];
    };
    expect(await post('Action=DeleteStack&Version=2010-05-15', true)).toEqual([400, 'Sender', 'InvalidAction']);
    expect(await post('Action=DescribeStacks&Version=2000-01-01', true)).toEqual([400, 'Sender', 'InvalidAction']);
    expect(await post('Action=DescribeStacks&Version=2010-05-15', false)).toEqual([
      403,
      'Sender',
      'MissingAuthenticationToken',
    ]);
    expect(each.calls).toEqual([]);
    each.faults.next('cloudformation', THROTTLED.cloudformation);
    const throttled = each.client.send(new DescribeStacksCommand({}));
    await expect(throttled).rejects.toMatchObject({ name: 'Throttling', message: 'Rate exceeded' });
  });
});
