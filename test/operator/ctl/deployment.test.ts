/** Which connector a command acts on, from the stacks of the account and region. */
import { CloudFormationClient, type Stack } from '@aws-sdk/client-cloudformation';
import { expect, test } from '@jest/globals';
import type { Aws } from '../../../bin/ctl/aws.ts';
import { type DeploymentChoice, findDeployment } from '../../../bin/ctl/deployment.ts';
import { exportName } from '../../../lib/export-name.ts';
import { VERSION } from '../../../lib/version.ts';

const OUTPUTS =
  'FunctionName LogGroupName StateTableName BucketName DeliveryStreamName ScheduleName ScheduleDeadLetterQueueUrl AlarmTopicArn';

/** The outputs of a connector, each with the connector's name in its value. */
function outputsOf(connector: string, version = VERSION): NonNullable<Stack['Outputs']> {
  const output = (key: string, value: string) => ({ ExportName: exportName(connector, key), OutputValue: value });
  return [output('ConnectorVersion', version), ...OUTPUTS.split(' ').map(key => output(key, `${connector}-${key}`))];
}

function stackOf(StackName: string, Outputs: Stack['Outputs']): Stack {
  return { StackName, Outputs, CreationTime: new Date(0), StackStatus: 'CREATE_COMPLETE' };
}

const ACME = stackOf('security-acme', outputsOf('acme'));
const BETA = stackOf('security-beta', outputsOf('beta'));
const WEBSITE = stackOf('website', [{ OutputKey: 'Url', OutputValue: 'https://acme.example' }]);
// CloudFormation lists the outputs of a stack in no order.
const [acme, gamma] = [outputsOf('acme'), outputsOf('gamma')];
const BOTH = stackOf(
  'platform',
  acme.flatMap((output, at) => [gamma[at]!, output]),
);

function found(stacks: readonly Stack[], wanted: DeploymentChoice) {
  const client = new CloudFormationClient({ region: 'eu-west-1' });
  client.send = async ({ input }: { readonly input: { readonly StackName?: string } }) => {
    return { Stacks: stacks.filter(({ StackName }) => (input.StackName ?? StackName) === StackName), $metadata: {} };
  };
  return findDeployment({ cloudFormation: () => client } as unknown as Aws, wanted);
}

test.each<[string, readonly Stack[], DeploymentChoice]>([
  ['the only connector', [WEBSITE, ACME], {}],
  ['the connector of --stack among several', [BETA, ACME], { stack: 'security-acme' }],
  ['the connector of --connector among several', [BETA, ACME], { connector: 'acme' }],
  ['the connector of --connector in a stack of several, with its own outputs', [BETA, BOTH], { connector: 'acme' }],
])('a command applies to %s', async (_, stacks, wanted) => {
  const own = { connector: 'acme', table: 'acme-StateTableName', scheduleName: 'acme-ScheduleName' };
  expect(await found(stacks, wanted)).toMatchObject(own);
});

const OTHER_VERSION = stackOf('security-acme', outputsOf('acme', '0.9.0'));
const INCOMPLETE = stackOf('security-acme', outputsOf('acme').slice(0, -1));

test.each<[string, readonly Stack[], DeploymentChoice, string]>([
  ['a region without a connector', [WEBSITE], {}, 'no connector in region eu-west-1 of this account. Use --region'],
  ['a region without a stack, because the first deployment failed', [], {}, 'docs/lifecycle.md says how to go on.'],
  ['several connectors', [BETA, ACME], {}, 'of this account: acme, beta. Choose one with --connector.'],
  ['several connectors in one stack', [BOTH], { stack: 'platform' }, 'several connectors in stack platform in region'],
  ['an unknown connector', [ACME], { connector: 'x' }, 'no connector x in region eu-west-1 of this account. The'],
  ['a connector of another stack', [ACME, BETA], { connector: 'acme', stack: 'security-beta' }, 'there are beta. Use'],
  ['an empty name of a connector', [ACME], { connector: '' }, '--connector is empty.'],
  ['an empty name of a stack from an unset variable', [ACME], { stack: '' }, '--stack is empty.'],
  ['a stack of another application', [WEBSITE], { stack: 'website' }, 'no connector in stack website in region'],
  ['a stack of another version', [OTHER_VERSION], {}, `by version 0.9.0 of the connector, and this is ${VERSION}.`],
  ['a stack without an output', [INCOMPLETE], {}, 'lacks the output AlarmTopicArn. Nothing was done. Deploy it'],
])('a command is refused for %s', async (_, stacks, wanted, reason) => {
  const refusal = { name: 'RefusedError', message: expect.stringContaining(reason) };
  await expect(found(stacks, wanted)).rejects.toMatchObject(refusal);
});
