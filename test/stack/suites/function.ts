import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readSettings } from '../../../lambda/settings.ts';
import { ConnectorStack } from '../../../lib/connector-stack.ts';
import { PROCESS_ENVIRONMENT } from '../../../lib/function/function-environment.ts';
import { NETWORK_ACTIONS } from '../../../lib/function/poller-network.ts';
import { certificateAuthority, EXPIRED, type Validity } from '../../support/certificate-authority.ts';
import { configured, createApp, synthesize } from '../synth.ts';
import { only, propertiesOf } from '../template.ts';
import { VARIANT_NAMES, VARIANTS } from '../variants.ts';
import { warningsOf } from './construct.ts';
import { actionsOf, resourcesOf, statementsOf } from './policies.ts';

const AUTHORITY_FILE = path.join(mkdtempSync(path.join(os.tmpdir(), 'authority-')), 'authority.pem');
writeFileSync(AUTHORITY_FILE, certificateAuthority('Acme root').certificate);

/**
 * The environment of a plain connector: names and addresses, and each option that has a default.
 */
const ALWAYS = [
  'THREAT_ASSET_FIELD',
  'API_BASE_URL',
  'AUTH_URL',
  'CONNECTOR_NAME',
  'CREDENTIALS_SECRET_ID',
  'DEAD_LETTER_BUCKET',
  'DELIVERY_STREAM',
  ...Object.keys(PROCESS_ENVIRONMENT),
  'STATE_TABLE',
].sort();

function environment(options = {}): Record<string, unknown> {
  const { Variables } = only(synthesize(options), 'AWS::Lambda::Function')['Environment'] as {
    Variables: Record<string, unknown>;
  };
  return Variables;
}

describe('the function', () => {
  test('the function has exactly the environment that its contract lists, with the values of the options', () => {
    expect(Object.keys(environment()).sort()).toEqual(ALWAYS);
    expect(environment(VARIANTS.everyOption)).toMatchObject({
      API_BASE_URL: 'https://api.acme.example',
      AUTH_URL: 'https://auth.acme.example/realms/acme',
      CONNECTOR_NAME: 'acme',
      DNS_BLOCKS_PATH: '/v1/dns-blocks',
      THREAT_ASSET_FIELD: 'asset',
      ROWS_MEMBER: 'data',
      PAGINATION_MEMBER: 'page',
    });
  });

  test.each(VARIANT_NAMES)('the function starts with the environment of the stack (%s)', name => {
    const given = Object.entries(environment(VARIANTS[name])).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : 'known-at-deployment',
    ]);
    expect(readSettings(Object.fromEntries(given))).toMatchObject({ connector: 'acme' });
  });

  test('the function uses exactly the existing stream, bucket, table and secret that are configured', () => {
    expect(environment(VARIANTS.existingParts)).toMatchObject({
      CREDENTIALS_SECRET_ID: VARIANTS.existingParts.secretArn,
      STATE_TABLE: 'acme-State',
      DEAD_LETTER_BUCKET: 'acme-security-data',
    });
    expect(environment(VARIANTS.existing)).toMatchObject({ DELIVERY_STREAM: 'events' });
    const allowed = (options: object) =>
      statementsOf(synthesize({ ...options }), 'ConnectorPollerRole').flatMap(statement =>
        actionsOf(statement).map(action => [action, resourcesOf(statement)]),
      );
    const ofParts = allowed(VARIANTS.existingParts);
    expect(ofParts).toContainEqual(['secretsmanager:GetSecretValue', [VARIANTS.existingParts.secretArn]]);
    expect(ofParts).toContainEqual(['dynamodb:Query', [VARIANTS.existingParts.stateTableArn]]);
    expect(ofParts.filter(([action]) => action === 's3:PutObject')).toEqual([
      ['s3:PutObject', ['arn:aws:s3:::acme-security-data/dead-letter/acme/*']],
      ['s3:PutObject', ['arn:aws:s3:::acme-security-data/log/*']],
    ]);
    expect(allowed(VARIANTS.existing)).toContainEqual([
      'firehose:PutRecordBatch',
      [VARIANTS.existing.destination.deliveryStreamArn],
    ]);
  });

  test('the function in a VPC has network permissions that its own code cannot use', () => {
    const template = synthesize(VARIANTS.existingParts);
    const own = Object.groupBy(statementsOf(template, 'ConnectorPoller'), ({ Effect }) => Effect);
    expect(own['Allow']!.flatMap(actionsOf)).toEqual(expect.arrayContaining([...NETWORK_ACTIONS]));
    expect(own['Deny']).toMatchObject([
      { Action: NETWORK_ACTIONS, Condition: { ArnEquals: { 'lambda:SourceFunctionArn': expect.anything() } } },
    ]);
    expect(only(template, 'AWS::Lambda::Function')).toMatchObject({
      VpcConfig: { SubnetIds: VARIANTS.existingParts.vpc.subnetIds, SecurityGroupIds: ['sg-0123456789abcdef0'] },
    });
  });

  test('the function gets its proxy and certificates in the variables that Node reads', () => {
    const options = {
      proxyUrl: 'http://proxy.acme.example:3128',
      noProxy: ['*.Acme.example', '.amazonaws.com', '10.1.2.3'],
    };
    expect(environment(options)).toMatchObject({
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: 'http://proxy.acme.example:3128',
      NO_PROXY: 'localhost,127.0.0.1,::1,169.254.169.254,169.254.0.0/16,.Acme.example,.amazonaws.com,10.1.2.3',
    });
    expect(environment({ caCertificates: AUTHORITY_FILE })).toMatchObject({
      NODE_EXTRA_CA_CERTS: '/var/task/ca-certificates.pem',
    });
  });

  test('synth warns of a certificate that has expired, is not valid yet, or is not a root certificate', () => {
    const warnings = (text: string) => {
      writeFileSync(AUTHORITY_FILE, text);
      const stack = new ConnectorStack(createApp(), configured({ caCertificates: AUTHORITY_FILE }));
      return stack.node
        .findAll()
        .flatMap(warningsOf)
        .filter(warning => warning.includes('certificate'));
    };
    const authority = (validity?: Validity) => certificateAuthority('Acme root', validity);
    const root = authority();
    const { cert: issued } = root.issue(['proxy.acme.example']);
    const future = { from: new Date('2999-01-01'), to: new Date('2999-01-02') };
    expect(warnings(issued + root.certificate)).toEqual([]);
    expect(warnings(issued)).toEqual([
      expect.stringMatching(
        /CN=proxy.acme.example was issued by CN=Acme root, which is not in the file\. Add that one\./,
      ),
    ]);
    expect(warnings(authority(EXPIRED).certificate)).toEqual([
      expect.stringMatching(/CN=Acme root expired on .* Replace it\. The function will not accept what it signed\./),
    ]);
    expect(warnings(authority(future).certificate)).toEqual([
      expect.stringContaining('is valid from Jan  1 00:00:00 2999 GMT only'),
    ]);
  });

  test.each<[object, number[]]>([
    [{}, [443]],
    [{ proxyUrl: 'http://proxy.acme.example:3128' }, [443, 3128]],
    [{ proxyUrl: 'http://proxy.acme.example' }, [443, 80]],
    [{ baseUrl: 'https://api.acme.example:8443' }, [443, 8443]],
  ])('the function’s security group allows only outgoing connections to AWS, API and proxy: %j', (options, ports) => {
    const template = synthesize({ vpc: VARIANTS.everyOption.vpc, ...options });
    const group = only(template, 'AWS::EC2::SecurityGroup');
    const rules = group['SecurityGroupEgress'] as { readonly FromPort: number }[];
    expect(rules.map(({ FromPort }) => FromPort)).toEqual(ports);
    expect(group).not.toHaveProperty('SecurityGroupIngress');
  });
});

describe('the schedule', () => {
  test('the schedule runs at the configured rate', () => {
    const { ScheduleExpression: rate } = only(synthesize(VARIANTS.everyOption), 'AWS::Scheduler::Schedule');
    expect(rate).toBe('rate(1 hour)');
  });

  test('the schedule of a paused connector is disabled, and the silence notifies nobody', () => {
    const template = synthesize(VARIANTS.http);
    expect(only(template, 'AWS::Scheduler::Schedule')).toMatchObject({ State: 'DISABLED' });
    const silent = { ActionsEnabled: false };
    expect(propertiesOf(template, 'AWS::CloudWatch::CompositeAlarm')).toMatchObject([silent, silent]);
  });
});
