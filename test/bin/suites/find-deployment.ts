import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { exportName } from '../../../lib/export-name.ts';
import { program } from '../cli-reference/page.ts';
import { type Deployment, deployment, STACK } from '../support/deployment.ts';
import type { Found } from '../support/found.ts';

/** A stack beside the connector's, or in its place, with outputs that are exported for these connectors. */
function put(
  { stack: { stacks } }: Deployment,
  name: string,
  outputs: Readonly<Record<string, string>>,
  connectors: readonly string[] = [],
): void {
  const exported = connectors.flatMap(connector =>
    Object.entries(outputs).map(([output, value]) => ({
      key: `${connector}${output}05A544E1`,
      value,
      exportName: exportName(connector, output),
    })),
  );
  const plain = Object.entries(outputs).map(([key, value]) => ({ key, value }));
  stacks.push({ name, outputs: connectors.length > 0 ? exported : plain });
}

function alone(each: Deployment): void {
  each.stack.stacks.splice(0);
}

const CONNECTOR = { FunctionName: 'f', StateTableName: 't', DeliveryStreamName: 'd', ConnectorVersion: '0.1.0' };

/** What is wrong, the preparation, the arguments, and a part of the message. */
const CASES: readonly (readonly [string, (each: Deployment) => void, readonly string[], string])[] = [
  ['no connector in the region', alone, ['status'], 'There is no connector in region us-east-1 of this account.'],
  [
    'several connectors',
    each => put(each, 'SecurityDataConnector-beta', CONNECTOR, ['beta']),
    ['status'],
    'There are several connectors in region us-east-1 of this account: acme, beta. Choose one with --connector.',
  ],
  [
    'several connectors in one stack',
    each => put(each, 'security', CONNECTOR, ['gamma', 'beta']),
    ['status', '--stack', 'security'],
    'There are several connectors in stack security in region us-east-1 of this account: beta, gamma.',
  ],
  [
    'no such connector',
    () => undefined,
    ['pause', '--connector', 'beta'],
    'There is no connector beta in region us-east-1 of this account. The connectors there are acme. Use --region',
  ],
  [
    'a connector that is in another stack',
    each => put(each, 'security', CONNECTOR, ['beta']),
    ['pause', '--connector', 'acme', '--stack', 'security'],
    'There is no connector acme in stack security in region us-east-1 of this account. The connectors there are beta.',
  ],
  ['an empty name of a connector', () => undefined, ['pause', '--connector', ''], '--connector is empty.'],
  ['an empty name, as of an unset variable', () => undefined, ['pause', '--stack', ''], '--stack is empty.'],
  [
    'no such stack',
    () => undefined,
    ['status', '--stack', 'beta'],
    'There is no connector in stack beta in region us-east-1',
  ],
  [
    'a stack of something else',
    each => put(each, 'website', { Url: 'https://acme.example' }),
    ['status', '--stack', 'website'],
    'There is no connector in stack website in region us-east-1 of this account.',
  ],
  [
    'a first deployment that failed',
    each => {
      alone(each);
      each.stack.stacks.push({ name: STACK, status: 'ROLLBACK_COMPLETE', outputs: [] });
    },
    ['status'],
    'If its first deployment failed, docs/teardown.md says how to go on.',
  ],
  [
    'a stack of another version',
    each => {
      alone(each);
      put(each, STACK, { ...CONNECTOR, ConnectorVersion: '0.2.0' }, ['acme']);
    },
    ['pause'],
    'was deployed by version 0.2.0 of the connector, and this is 0.1.0. Nothing was done.',
  ],
];

describe('the deployment is found', () => {
  test('--stack selects one deployment among several', async () => {
    await using each = await deployment();
    put(each, 'SecurityDataConnector-beta', CONNECTOR, ['beta']);
    expect(await each.ctl(['status', '--stack', STACK])).toMatchObject({ status: 0 });
  });

  test('--connector selects a deployment whose stack has another name and holds other connectors too', async () => {
    await using each = await deployment();
    const { stacks } = each.stack;
    const [{ outputs, ...own }] = stacks.splice(0) as [(typeof stacks)[number]];
    put(each, 'website', { Url: 'https://acme.example' });
    put(each, 'platform-production', CONNECTOR, ['beta']);
    stacks[1] = { ...own, name: 'platform-production', outputs: [...stacks[1]!.outputs, ...outputs] };
    const { status, document } = await each.json(['status', '--connector', 'acme']);
    expect([status, document]).toMatchObject([0, { connector: 'acme', stack: { name: 'platform-production' } }]);
  });

  test('outputs of two connectors in one stack are not mixed', async () => {
    await using each = await deployment();
    const { stacks, scheduleName, schedules } = each.stack;
    const [{ outputs: own, ...stack }] = stacks.splice(0) as [(typeof stacks)[number]];
    const beta = own.map(({ key, value, exportName: name }) => {
      return {
        key: `beta${key}`,
        value: `beta-${value}`,
        ...(name && { exportName: name.replace(':acme:', ':beta:') }),
      };
    });
    // CloudFormation lists the outputs of a stack in no order.
    const isVersion = ({ key }: { readonly key: string }) => key.includes('ConnectorVersion');
    const version = own.find(isVersion)!;
    const outputs = own.flatMap((output, at) => [beta[at]!, output]);
    stacks.push({
      ...stack,
      outputs: outputs.map(output => (isVersion(output) ? { ...output, value: version.value } : output)),
    });
    const other = await each.ctl(['pause', '--connector', 'beta']);
    expect([other.status, other.stderr]).toEqual([
      1,
      expect.stringContaining(`The schedule beta-${scheduleName} could not be read`),
    ]);
    const invoked = await each.ctl(['run', '--connector', 'beta']);
    expect([invoked.status, invoked.stderr, each.stack.invocations]).toEqual([
      1,
      expect.stringContaining('Function beta-'),
      [],
    ]);
    expect(schedules.get(scheduleName)).toMatchObject({ State: 'ENABLED' });
    expect((await each.ctl(['pause', '--connector', 'acme'])).status).toBe(0);
    expect(schedules.get(scheduleName)).toMatchObject({ State: 'DISABLED' });
  });

  test.each(CASES)('not, and the command exits with 2: %s', async (_, prepare, args, reason) => {
    await using each = await deployment();
    prepare(each);
    const { status, stdout, stderr } = await each.ctl(args);
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(reason)]);
  });

  test('not, and doctor reports a failure of the check stack: a stack that is not a connector', async () => {
    await using each = await deployment();
    put(each, 'website', { Url: 'https://acme.example' });
    const { status, document } = await each.json(['doctor', '--stack', 'website']);
    const failed = document.checks.filter((check: Found) => check.status === 'fail');
    expect([status, failed]).toMatchObject([
      3,
      [{ name: 'stack', text: expect.stringContaining('There is no connector in stack website') }],
    ]);
  });
});

test('a command without an option that npm took does nothing', async () => {
  await using each = await deployment();
  const npm = { npm_lifecycle_event: 'connectorctl', npm_config_region: 'true' };
  const { status, stderr } = await each.ctl(['pause'], npm);
  expect([status, stderr]).toEqual([2, expect.stringContaining('npm took --region for itself. Nothing was done.')]);
  expect(each.asked()).toEqual([]);
});

const NO_REGION = 'The AWS region is missing or invalid. Use --region, set AWS_REGION, or give your profile a region.';

test('doctor without a region names it and how to give it, and does not advise to log in', async () => {
  await using each = await deployment();
  const { status, stdout, stderr } = await each.startProcess(['doctor', '--json'], { AWS_REGION: '' }).ended;
  const [account] = JSON.parse(stdout).checks;
  expect([status, stderr, account]).toEqual([
    3,
    '',
    expect.objectContaining({ status: 'fail', text: `The AWS account could not be read: ${NO_REGION}` }),
  ]);
});

test('a closed port of AWS is reported as a failed connection, without a hint about permissions', async () => {
  await using each = await deployment();
  const endpoint = { AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:1' };
  const { status, stderr } = await each.ctl(['status'], endpoint);
  expect([status, stderr]).toEqual([
    1,
    'The stacks of this account and region could not be read: AWS did not answer: the connection failed (ECONNREFUSED). ' +
      'Check the network of this machine, then try again.\nNothing was changed.\n',
  ]);
});

describe('exit status 1 and a sentence without a stack trace for', () => {
  test.each([
    ['no region', { AWS_REGION: '' }, NO_REGION],
    ['a profile that is not there', { AWS_PROFILE: 'nobody' }, 'No AWS credentials found.'],
  ])('%s', async (_, environment, reason) => {
    await using each = await deployment();
    const { status, stdout, stderr } = await each.startProcess(['status'], environment).ended;
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining(reason)]);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('credentials that AWS refuses', async () => {
    await using each = await deployment();
    const refuse = {
      status: 403,
      code: 'ExpiredToken',
      message: 'The security token included in the request is expired',
    };
    each.connector.aws.faults.always('cloudformation', { refuse });
    const { status, stderr } = await each.ctl(['pause']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('The AWS credentials have expired. Log in again.')]);
  });
});

/** Node 20 as a command meets it: the version that the SDK reads, and the limit of ten listeners on each signal. */
const NODE_20 = `
  import { setMaxListeners } from 'node:events';
  Object.defineProperty(process, 'version', { value: 'v20.20.2' });
  globalThis.AbortController = class extends AbortController {
    constructor() {
      super();
      setMaxListeners(10, this.signal);
    }
  };`;

test('no warning of Node or the SDK is written into the output, not even on Node 20', async () => {
  await using each = await deployment();
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(NODE_20)}`;
  const { status, stderr } = await each.startProcess(['status'], { NODE_OPTIONS }).ended;
  expect([status, stderr]).toEqual([0, '']);
});

test('the command help shows what --help shows', async () => {
  await using each = await deployment();
  const { status, stdout } = await each.ctl(['help']);
  expect([status, stdout]).toEqual([0, (await each.ctl(['--help'])).stdout]);
});

test('--help names every command, and the help of each command has an example', async () => {
  await using each = await deployment();
  const { status, stdout } = await each.ctl(['--help']);
  expect(status).toBe(0);
  for (const command of program.commands) {
    expect(stdout).toMatch(new RegExp(`^ {2}${command.name()}\\b`, 'm'));
    expect(helpOf(command)).toMatch(new RegExp(`^Examples?:\n {2}npm run connectorctl -- ${command.name()}`, 'm'));
  }
});

/** As `--help` would print it, without another process. */
function helpOf(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: part => void parts.push(part) });
  command.outputHelp();
  return parts.join('');
}
