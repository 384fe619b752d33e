import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { ConfigurationError } from '../../lib/config/problem.ts';
import { connectorsIn, readConnectors } from '../../lib/config/read-connectors.ts';
import { ROOT } from '../documents/pages.ts';
import { certificateAuthority } from '../support/certificate-authority.ts';
import { EXAMPLE } from './template.ts';
import { SECRET_ARN, VARIANTS } from './variants.ts';

const problemsOf = (context: unknown) => problemsOfReading(() => readConnectors(context));

function problemsOfReading(read: () => unknown): Record<string, string> {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return Object.fromEntries(error.problems.map(({ path: at, reason }) => [at, reason]));
  }
  return {};
}

const WORKSPACE = '11111111-2222-4333-8444-555555555555';
const READER = { type: 'external-id', principal: '111122223333', externalId: 'from-the-form' };
const SENTINEL = { type: 'sentinel', workspaceId: WORKSPACE, createOidcProvider: true };
const PROVIDER = 'arn:aws:iam::111122223333:oidc-provider/sts.windows.net/33e01921/';
const SPLUNK = { type: 'splunk', url: 'https://x.example' };
const PROXY_URL = 'http://proxy.example.com:3128';
const LONG_FILTER = `a == '${'x'.repeat(600)}'`;
const REALM = 'https://auth.acme.example/realms/acme';

const BASE_URL_ADVICE = /without \/v1 and without the path of a list: write https:\/\/api\.acme\.example$/;
const AUTH_URL_ADVICE = /write https:\/\/auth\.acme\.example\/realms\/acme$/;

/** An option with a value that is refused, and a word of the reason. */
const VALUES: readonly [member: string, value: unknown, reason: RegExp][] = [
  ['rateMinutes', '5', /whole number/],
  ['rateMinutes', 61, /from 1 to 60/],
  ['baseUrl', 'http://api.acme.example', /https/],
  ['authUrl', 'http://auth.acme.example', /https/],
  ['baseUrl', 'https://', /complete URL/],
  ['baseUrl', 'https://a:b@acme.example', /no user, password/],
  ['baseUrl', 'https://acme.example/?a=b', /query/],
  ['baseUrl', 'https://api.acme.example/security/v1/', /without \/v1 .*write/],
  ['baseUrl', 'https://api.acme.example/v1/assets', BASE_URL_ADVICE],
  ['authUrl', `${REALM}/.well-known/openid-configuration`, AUTH_URL_ADVICE],
  ['alarmEmial', 'a@b.example', /did you mean alarmEmail\?/],
  ['name', 'Acme', /lower-case/],
  ['name', 'a'.repeat(33), /32/],
  ['dnsBlocksPath', 'v1/dns', /begins with \//],
  ['threatAssetField', 'id', /names the asset/],
  ['rowsMember', '', /empty/],
  // A variable of the function only.
  ['pageLimit', 500, /not an option/],
  ['memoryMegabytes', 128, /256/],
  // CloudWatch does not offer every number of days.
  ['logRetentionDays', 31, /one of/],
  ['removalPolicy', 'keep', /retain/],
  ['secretArn', 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:x', /six characters/],
  ['bucketArn', SECRET_ARN, /arn:aws:s3/],
  ['stateTableArn', 'acme-State', /arn:aws:dynamodb/],
  ['kmsKeyArn', 'arn:aws:kms:eu-west-1:111122223333:alias/a', /key\//],
  ['alarmEmail', 'on-call', /e-mail/],
  ['region', 'eu-west', /eu-west-1/],
  ['proxyUrl', 'proxy.example:3128', /such as http:\/\/proxy\.example\.com:3128/],
  ['proxyUrl', 'socks5://proxy.example:1080', /such as http:/],
  ['proxyUrl', 'http://u:p@proxy.example:3128', /no user or password.*admit/],
  ['proxyUrl', 'http://proxy.example:3128/pac', /host and port alone/],
  ['noProxy', ['amazonaws.com'], /no effect without proxyUrl/],
  ['caCertificates', 'no.pem', /^no\.pem .*ENOENT/],
  ['filters.threats', "severity == 'high", /not an expression of JMESPath: .*column/],
  ['filters.assets', `a == '${'x'.repeat(1_000)}'`, /1000 characters/],
  ['filters.threat', 'a', /did you mean threats\?/],
  ['filters.dnsBlocks', 'a', /without dnsBlocksPath/],
  ['omit.assets', [], /one member at least/],
  ['alarms.stream-silnt', false, /is not an alarm; did you mean stream-silent\? Known: /],
  ['alarms.dead-letters.threshold', 0, /must be a number greater than 0/],
  ['alarms.dead-letters', true, /must be false, or an object with a threshold greater than 0/],
];

/** Options that are refused together, the wrong member, and a word of the reason. */
const COMBINATIONS: readonly [member: string, options: Record<string, unknown>, reason: RegExp][] = [
  ['destination.type', { destination: { type: 'kafka' } }, /"s3"/],
  ['destination.url', { destination: { type: 'splunk' } }, /required/],
  ['destination.url', { destination: { type: 'http', url: 'http://x.example' } }, /https/],
  ['destination.bufferSeconds', { destination: { type: 's3', bufferSeconds: 901 } }, /to 900/],
  ['siemReader.externalId', { siemReader: { type: 'external-id', principal: '111122223333' } }, /required/],
  ['siemReader.principal', { siemReader: { ...READER, principal: '*' } }, /12 digits/],
  ['siemReader.workspaceId', { siemReader: { type: 'sentinel', workspaceId: 'x' } }, /UUID/],
  ['siemReader.createOidcProvider', { siemReader: { ...SENTINEL, oidcProviderArn: PROVIDER } }, /one of the two/],
  ['siemReader', { destination: SPLUNK, siemReader: READER }, /nothing to read/],
  ['vpc.subnetIds', { vpc: { vpcId: 'vpc-01234567', subnetIds: [] } }, /one subnet/],
  ['vpc.subnetIds[0]', { vpc: { vpcId: 'vpc-01234567', subnetIds: ['a'] } }, /subnet-/],
  ['noProxy', { proxyUrl: PROXY_URL, noProxy: [] }, /one host at least/],
  ...['*', 'https://a.example', 'a.example:443', 'a.example/b', '10.0.0.0/8', 'a,b', ''].map(
    (host): (typeof COMBINATIONS)[number] => [
      'noProxy[1]',
      { proxyUrl: PROXY_URL, noProxy: ['a.example', host] },
      /must be a host such as/,
    ],
  ),
  ['retentionDays', { retentionDays: 1, bucketArn: 'arn:aws:s3:::bucket' }, /lifecycle/],
  ['alarmEmail', { alarmEmail: 'a@b.example', alarmTopicArn: 'arn:aws:sns:eu-west-1:111122223333:t' }, /subscribe/],
  ['filters', { filters: { assets: LONG_FILTER, threats: LONG_FILTER } }, /1000 bytes at most, all streams together/],
  ['omit.assets[0]', { omit: { assets: ['a..b'] } }, /joined by dots/],
  ['omit.threats', { threatAssetField: 'host', omit: { threats: ['host'] } }, /could not withdraw/],
  // The reason names what runs read, and what the rate allows.
  [
    'refreshDays',
    { refreshDays: 7, rateMinutes: 60 },
    /in which runs every 60 minutes read 10 pages of 500 rows each, 266,000 rows, .* 27 days are enough$/,
  ],
  ['refreshDays', { refreshDays: 1, requestsPerMinute: 10 }, /read 3 pages of 500 rows each, 684,000 rows/],
];

const TABLE_ARN = VARIANTS.existingParts.stateTableArn;
/** `omit.assets` and a value, as `{ omit: { assets: value } }`. */
const nested = (member: string, value: unknown): Record<string, unknown> =>
  member.split('.').reduceRight((inner: unknown, name) => ({ [name]: inner }), value) as Record<string, unknown>;

describe('the configuration', () => {
  test.each([
    ...VALUES.map(([member, value, reason]) => [member, nested(member, value), reason] as const),
    ...COMBINATIONS,
  ])('the configuration error names only %s as wrong in %j, with the reason', (member, options, reason) => {
    const problems = problemsOf([{ ...EXAMPLE, ...options }]);
    expect(problems).toEqual({ [`connectors[0].${member}`]: expect.stringMatching(reason) });
  });

  test.each(['account 999999999999', 'region us-east-1'])(
    'a table in another place than the stack is refused if synth knows the place: %s',
    elsewhere => {
      const [part, value] = elsewhere.split(' ') as ['account' | 'region', string];
      const place = { account: '111122223333', region: 'eu-west-1' };
      const options = { ...EXAMPLE, stateTableArn: TABLE_ARN.replace(place[part], value) };
      const reason = expect.stringMatching(`^is in ${elsewhere}, but the stack in ${part} ${place[part]}: `);
      expect(problemsOf([{ ...options, ...place }])).toEqual({ 'connectors[0].stateTableArn': reason });
      expect(problemsOf([options])).toEqual({});
    },
  );

  test('the configuration accepts every region that the CDK knows', () => {
    const refused = RegionInfo.regions.filter(
      ({ name }) => 'connectors[0].region' in problemsOf([{ ...EXAMPLE, region: name }]),
    );
    expect(refused.map(({ name }) => name)).toEqual([]);
  });

  test('the configuration accepts every retention of logs that the CDK knows', () => {
    const days = Object.values(RetentionDays).filter(value => typeof value === 'number');
    expect(
      days.filter(logRetentionDays => Object.keys(problemsOf([{ ...EXAMPLE, logRetentionDays }])).length > 0),
    ).toEqual([]);
  });

  test('every problem of every connector is reported at once, with a similar name for an unknown option', () => {
    const problems = problemsOf([
      { name: 'A', baseUrl: 'http://x', memoryMegabytes: 1, destination: { type: 's3', bufferSecond: 60, retry: 1 } },
      EXAMPLE,
      3,
      { ...EXAMPLE, rateminutes: 1, rate: 5, Name: 'x', vpc: { vpcID: 'a', vpcId: 'vpc-01234567', subnets: [] } },
    ]);
    expect(problems).toEqual({
      'connectors[0].name': expect.stringContaining('lower-case'),
      'connectors[0].baseUrl': expect.stringContaining('https'),
      'connectors[0].authUrl': 'is required',
      'connectors[0].memoryMegabytes': expect.stringContaining('256'),
      'connectors[0].destination.bufferSecond': 'is not an option; did you mean bufferSeconds?',
      'connectors[0].destination.retry': 'is not an option',
      'connectors[2]': 'must be an object',
      'connectors[3].name': expect.stringContaining('connectors[1] has it already'),
      'connectors[3].rateminutes': 'is not an option; did you mean rateMinutes?',
      'connectors[3].rate': 'is not an option',
      'connectors[3].Name': 'is not an option; did you mean name?',
      'connectors[3].vpc.vpcID': 'is not an option; did you mean vpcId?',
      'connectors[3].vpc.subnetIds': 'is required',
      'connectors[3].vpc.subnets': 'is not an option; did you mean subnetIds?',
    });
  });

  test('a problem shows names and values of cdk.json on a single line, cut off if too long', () => {
    const long = 'x'.repeat(10_000);
    const values = { baseUrl: `https://api.acme.example/\u202e${long}/v1`, caCertificates: `\u001b[2J${long}.pem` };
    const problems = Object.entries(problemsOf([{ ...EXAMPLE, ...values, [`\u001b[2J\n${long}`]: 1 }]));
    expect(problems).toHaveLength(3);
    for (const text of problems.map(problem => problem.join(': '))) expect(text).toMatch(/^[^\p{Cc}\p{Cf}]{1,600}$/u);
  });

  test('the configuration requires only name, baseUrl and authUrl', () => {
    const problems = ['name', 'baseUrl', 'authUrl'].map(member => [`connectors[0].${member}`, 'is required']);
    expect(problemsOf([{}])).toEqual(Object.fromEntries(problems));
  });

  test.each<[string, object, RegExp]>([
    ['name', { name: 'same' }, /collide.*connectors\[0\]/],
    ['secretArn', { secretArn: SECRET_ARN }, /one organization/],
    ['stateTableArn', { stateTableArn: TABLE_ARN }, /mix .*its own table/],
    ['bucketArn', { bucketArn: 'arn:aws:s3:::shared' }, /reader.*the other’s events.*own bucket.*connectors\[0\]/],
    ['siemReader.createOidcProvider', { siemReader: SENTINEL }, /once/],
  ])('a %s that two connectors share is refused for the second connector', (member, shared, reason) => {
    const list = [{ name: 'a', ...shared }, { name: 'b' }, { name: 'c', ...shared }];
    expect(problemsOf(list.map(each => ({ ...EXAMPLE, ...each })))).toEqual({
      [`connectors[2].${member}`]: expect.stringMatching(reason),
    });
  });

  test.each([
    ['nothing', undefined, /^must be a list of connectors/],
    ['an object', { name: 'a' }, /^must be a list of connectors/],
    ['an empty list', [], /^must name one connector at least/],
    ['the JSON text of an object', '{}', /^must be a list of connectors/],
    ['text that is not JSON', '[', /^must be valid JSON .* only the first line .*connectorsFile=/],
  ])('the configuration is refused, with the reason, if it is %s', (_, context, reason) => {
    expect(problemsOf(context)).toEqual({ connectors: expect.stringMatching(reason) });
  });

  test('the configuration may be a list or the JSON text of a list', () => {
    const list = [EXAMPLE, { ...EXAMPLE, name: 'other', ...VARIANTS.buffered }];
    expect(readConnectors(JSON.stringify(list))).toEqual(readConnectors(list));
  });
});

describe('the configuration in a file', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'connectors-'));
  const write = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return name;
  };
  const problems = (context: Record<string, unknown>) => problemsOfReading(() => connectorsIn(context, folder));
  const one = write('one.json', JSON.stringify([EXAMPLE], null, 2));

  test('the configuration file may have an absolute path or a path relative to cdk.json', () => {
    const list = readConnectors([EXAMPLE]);
    expect(connectorsIn({ connectorsFile: one }, folder)).toEqual(list);
    expect(connectorsIn({ connectorsFile: path.join(folder, one) }, '/')).toEqual(list);
  });

  test('the configuration file replaces the example in cdk.json', () => {
    const { context } = JSON.parse(readFileSync(path.join(ROOT, 'cdk.json'), 'utf8'));
    expect(problemsOf(context.connectors)).toEqual({});
    expect(connectorsIn({ ...context, connectorsFile: one }, folder)).toEqual(readConnectors([EXAMPLE]));
  });

  test.each([
    ['a changed list in cdk.json', [{ ...EXAMPLE, baseUrl: 'https://api.acme.com' }]],
    ['a list on the command line', JSON.stringify([EXAMPLE])],
  ])(
    'the configuration file together with %s is refused, because one of the lists would be ignored',
    (_, connectors) => {
      expect(problems({ connectors, connectorsFile: one })).toEqual({
        connectorsFile:
          'cannot be used together with connectors: remove "connectors" from cdk.json, or give one of the two',
      });
    },
  );

  test.each([
    ['does not exist', 'missing.json', /missing\.json cannot be read \(ENOENT\)/],
    ['is a folder', '.', /cannot be read \(EISDIR\)/],
    ['is not JSON', write('torn.json', '[\n  {"name": "acme",'), /torn\.json is not valid JSON/],
    ['has an empty name', '', /must be the path of a JSON file/],
    ['is a number instead of a path', 3, /must be the path of a JSON file/],
  ])('a configuration file that %s is refused with a reason', (_, connectorsFile, reason) => {
    expect(problems({ connectorsFile })).toEqual({ connectorsFile: expect.stringMatching(reason) });
  });
});

describe('the file of certificate authorities', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'authorities-'));
  const authority = certificateAuthority('Acme root');
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  const problems = (caCertificates: string) =>
    problemsOfReading(() => readConnectors([{ ...EXAMPLE, caCertificates }], folder))['connectors[0].caCertificates'];

  test('the certificate file may be relative to cdk.json and have text between its certificates', () => {
    write('two.pem', `# Acme\n${authority.certificate}# Acme 2\n${certificateAuthority('Acme 2').certificate}`);
    expect(problems('two.pem')).toBeUndefined();
    expect(problems(path.join(folder, 'two.pem'))).toBeUndefined();
  });

  test.each([
    [
      'a private key in addition to the certificate',
      authority.certificate + authority.key,
      /private key.*certificates alone/,
    ],
    ['text instead of a certificate', 'Acme', /no certificate in PEM/],
    [
      'a damaged certificate',
      `${authority.certificate}${authority.certificate.replace('MII', 'XXX')}`,
      /number 2 of 2/,
    ],
  ])('a certificate file is refused with %s', (_, text, reason) => {
    write('wrong.pem', text);
    expect(problems('wrong.pem')).toMatch(reason);
  });
});

test('an invalid configuration file ends the app with every problem before anything is written', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'connectors-'));
  const connectorsFile = path.join(folder, 'connectors.json');
  const wrong = { ...EXAMPLE, name: 'other', rateMinutes: 61, baseUrl: 'http://x' };
  writeFileSync(connectorsFile, JSON.stringify([EXAMPLE, wrong]));
  const out = path.join(folder, 'app');
  const context = { CDK_OUTDIR: out, CDK_CONTEXT_JSON: JSON.stringify({ connectorsFile }) };
  const { stderr, status } = spawnSync(process.execPath, [path.join(ROOT, 'bin', 'connector.ts')], {
    cwd: ROOT,
    env: { ...process.env, ...context },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toContain('connectors[1].rateMinutes: must be a whole number of minutes from 1 to 60');
  expect(stderr).toContain('connectors[1].baseUrl: must begin with https://');
  expect(stderr).not.toContain('Bundling');
  expect(readdirSync(out)).toEqual([]);
});
