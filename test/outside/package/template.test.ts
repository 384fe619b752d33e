/** The template for deployments without the CDK. `npm run test:deploy` deploys it. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { resolveValue } from '../../../local/deployment/template.ts';
import { readOptions, readTemplateConfig } from '../../../packaging/template/options.ts';
import { functionZip, MOST_TEMPLATE_BYTES, templateText } from '../../../packaging/template.ts';
import { page, section } from '../../documents/pages.ts';
import { synthesize } from '../../stack/synth.ts';
import { EXAMPLE } from '../../stack/template.ts';
import { BOUNDARY_ARN, KEY_ARN, SECRET_ARN } from '../../stack/variants.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';

interface ParameterizedTemplate {
  readonly Metadata: { readonly 'AWS::CloudFormation::Interface': { readonly ParameterGroups: readonly Group[] } };
  readonly Parameters: Readonly<Record<string, Parameter>>;
  readonly Conditions: Readonly<Record<string, unknown>>;
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Condition?: string }>>;
  readonly Outputs: Readonly<Record<string, { readonly Condition?: string }>>;
}

interface Group {
  readonly Parameters: readonly string[];
}

interface Parameter {
  readonly Default?: string | number;
  readonly Description: string;
  readonly AllowedPattern?: string;
}

const text = templateText(readTemplateConfig({}));
const template: ParameterizedTemplate = JSON.parse(text);
const ARTIFACT = { ArtifactBucket: 'artifacts', ArtifactKey: 'function.zip' };
const REQUIRED = { ConnectorName: EXAMPLE.name, BaseUrl: EXAMPLE.baseUrl, AuthUrl: EXAMPLE.authUrl, ...ARTIFACT };
const RUNBOOK = 'https://wiki.acme.example/runbook';

/**
 * The resources that CloudFormation makes of the template, in a form in which logical ids and the
 * code of the function do not count.
 */
function deployed(whole: ParameterizedTemplate, given: Readonly<Record<string, string>>) {
  const { Parameters = {}, Conditions = {}, Resources, Outputs } = whole;
  const values: Record<string, string> = {
    'AWS::StackId': 'arn:aws:cloudformation:eu-west-1:111122223333:stack/S/51af3dc0-da77-11e4-872e-1234567db123',
    ...Object.fromEntries(Object.entries(Parameters).map(([name, { Default }]) => [name, given[name] ?? Default])),
  };
  const references = {
    ref: (id: string) => values[id] ?? id,
    attribute: (id: string, name: string) => `${id}.${name}`,
  };
  const isTrue = (condition: unknown): boolean => {
    const [[name, argument] = []] = Object.entries(condition as Record<string, unknown>);
    const parts = argument as unknown[];
    if (name === 'Condition') return isTrue(Conditions[argument as string]);
    if (name === 'Fn::Not') return !isTrue(parts[0]);
    if (name === 'Fn::Or') return parts.some(isTrue);
    return resolveValue(parts[0], references) === resolveValue(parts[1], references);
  };
  const chosen = (_: string, value: unknown): unknown => {
    const choice = (value as { 'Fn::If'?: [string, unknown, unknown] } | null)?.['Fn::If'];
    return choice ? choice[isTrue(Conditions[choice[0]]) ? 1 : 2] : value;
  };
  const kept = (all: Readonly<Record<string, { readonly Condition?: string }>>) =>
    Object.values(all)
      .filter(({ Condition }) => Condition === undefined || isTrue(Conditions[Condition]))
      .map(({ Condition, ...each }) => resolveValue(JSON.parse(JSON.stringify(each), chosen), references));
  const comparable = (each: unknown) =>
    JSON.stringify(each, (name, value) => {
      if (['Code', 'Metadata', 'DependsOn'].includes(name) || (name === 'Path' && value === '/')) return undefined;
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : sorted(value);
    }).replaceAll(/(Connector)?Credentials[0-9A-F]{8}|(Connector)?(Siem|External|Sentinel)Reader[0-9A-F]{8}/g, 'ID');
  return [...kept(Resources), ...kept(Outputs)].map(comparable).sort();
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

const SENTINEL = '11111111-2222-4333-8444-555555555555';

const CASES: readonly (readonly [string, Record<string, string>, Record<string, unknown>])[] = [
  ['no optional parameter', {}, {}],
  [
    'every parameter',
    {
      SecretArn: SECRET_ARN,
      DnsBlocksPath: '/v1/dns-blocks',
      ThreatAssetField: 'asset',
      RequestsPerMinute: '600',
      MemoryMegabytes: '1024',
      Enabled: 'false',
      ReaderPrincipal: '111122223333',
      ReaderExternalId: 'from-the-form',
      AlarmEmail: 'on-call@acme.example',
      RetentionDays: '30',
      LogRetentionDays: '7',
      PermissionsBoundaryArn: BOUNDARY_ARN,
      RolePath: '/security/',
      ProxyUrl: 'http://proxy.acme.example:3128',
    },
    {
      secretArn: SECRET_ARN,
      dnsBlocksPath: '/v1/dns-blocks',
      threatAssetField: 'asset',
      requestsPerMinute: 600,
      memoryMegabytes: 1024,
      enabled: false,
      siemReader: { type: 'external-id', principal: 'arn:aws:iam::111122223333:root', externalId: 'from-the-form' },
      alarmEmail: 'on-call@acme.example',
      retentionDays: 30,
      logRetentionDays: 7,
      permissionsBoundaryArn: BOUNDARY_ARN,
      rolePath: '/security/',
      proxyUrl: 'http://proxy.acme.example:3128',
    },
  ],
  ['Sentinel', { SentinelWorkspaceId: SENTINEL }, { siemReader: { type: 'sentinel', workspaceId: SENTINEL } }],
];

describe('the template', () => {
  test.each(CASES)(
    'the template with %s creates the same resources as the CDK with these options',
    (_, parameters, options) => {
      const own = deployed(template, { ...REQUIRED, RunbookUrl: RUNBOOK, ...parameters });
      const theirs = synthesize({ ...options, runbookUrl: RUNBOOK }) as unknown as ParameterizedTemplate;
      const account = '"arn:aws:iam::111122223333:root"';
      const expected = deployed(theirs, {}).map(each => each.replaceAll(account, '"111122223333"'));
      expect(own.filter(each => !expected.includes(each))).toEqual(expected.filter(each => !own.includes(each)));
      expect(own).toHaveLength(expected.length);
    },
  );

  test('the template fits into a single call and works without bootstrap, custom resources and macros', () => {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST_TEMPLATE_BYTES);
    expect(text).not.toMatch(
      /Custom::|CustomResource|CloudFormation::Stack"|"Transform"|BootstrapVersion|cdk-hnb659fds/,
    );
  });

  test('each parameter of the template has a group, a description, and a valid default', () => {
    const { ParameterGroups } = template.Metadata['AWS::CloudFormation::Interface'];
    const names = Object.keys(template.Parameters);
    expect(ParameterGroups.flatMap(group => group.Parameters)).toEqual(names);
    for (const { Description, Default, AllowedPattern } of Object.values(template.Parameters)) {
      expect(Description).toMatch(/^[A-Z].*\.$/);
      if (Default !== undefined) expect(String(Default)).toMatch(new RegExp(`^(${AllowedPattern ?? '.*'})$`));
    }
    const required = names.filter(name => template.Parameters[name]!.Default === undefined);
    expect(required.sort()).toEqual(Object.keys(REQUIRED).sort());
  });

  test('docs/without-cdk.md explains every parameter of the template', () => {
    const names = Object.keys(template.Parameters);
    const [explained = ''] = section(page('docs/without-cdk.md'), '## Parameters').split('\n\n**');
    expect([...explained.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name).sort()).toEqual(names.sort());
  });

  test('the Terraform example sets the required parameters of the template', () => {
    const names = Object.keys(template.Parameters);
    const given = page('examples/terraform/main.tf').match(/(?<=^ {4})[A-Z]\w+(?= +=)/gm)!;
    expect(given.filter(name => !names.includes(name))).toEqual([]);
    expect(given).toEqual(expect.arrayContaining(Object.keys(REQUIRED)));
  });

  test('the template takes options without a parameter from a file, and drops parameters without effect', () => {
    const destination = { type: 'splunk', url: 'https://splunk.acme.example:8088' };
    const options = { destination, kmsKeyArn: KEY_ARN, filters: { dnsBlocks: "domain != 'x'" }, rateMinutes: 5 };
    const { Parameters, Resources } = JSON.parse(templateText(readTemplateConfig(options)));
    expect(Parameters).not.toHaveProperty('ReaderPrincipal');
    expect(JSON.stringify(Resources)).toContain('rate(5 minutes)');
    expect(JSON.stringify(Resources)).toContain(KEY_ARN);
  });

  test('invalid options and options that are parameters are refused by name', () => {
    expect(() => readTemplateConfig({ baseUrl: EXAMPLE.baseUrl })).toThrow(
      '  baseUrl: is the parameter BaseUrl of the',
    );
    expect(() => readTemplateConfig({ rateMinutes: 0, nonsense: 1 })).toThrow(
      /2 problems.*\n {2}rateMinutes: .*\n {2}nonsense: /,
    );
    expect(() => readOptions('missing.json')).toThrow('--options: missing.json cannot be read: ENOENT');
  });
});

test('npm run template writes the same bytes into any folder, with a checksum for each file', async () => {
  await using folder = await temporaryFolder('template-test-');
  const [options, out] = ['options.json', 'out'].map(name => path.join(folder.path, name));
  writeFileSync(options!, '{}');
  const args = ['--no-warnings', 'packaging/template.ts', '--out', out!, '--options', options!];
  const printed = execFileSync(process.execPath, args, { encoding: 'utf8' });
  const written = (name: string) => readFileSync(path.join(out!, name));
  expect(written('security-data-connector.template.json').toString()).toBe(text);
  expect(written('function.zip').equals(await functionZip())).toBe(true);
  expect(printed).toMatch(/^[0-9a-f]{64} {2}\S+template\.json .*\n[0-9a-f]{64} {2}\S+function\.zip /);
});
