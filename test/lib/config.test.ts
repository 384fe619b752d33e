import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ConfigurationError } from '../../lib/config/fault.ts';
import { connectorsIn, readConnectors } from '../../lib/config/read-connectors.ts';
import { ROOT } from '../docs/pages.ts';
import { certificateAuthority } from '../support/certificate-authority.ts';
import { EXAMPLE } from './template.ts';
import { SECRET_ARN, VARIANT_NAMES, VARIANTS } from './variants.ts';

const faultsOf = (context: unknown) => faultsOfReading(() => readConnectors(context));

function faultsOfReading(read: () => unknown): Record<string, string> {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return Object.fromEntries(error.faults.map(({ path: at, reason }) => [at, reason]));
  }
  return {};
}

const WORKSPACE = '11111111-2222-4333-8444-555555555555';
const READER = { type: 'external-id', principal: '111122223333', externalId: 'from-the-form' };

const BASE_URL_ADVICE = /without \/v1 and without the path of a list: write https:\/\/api\.acme\.example$/;

const PROXY_URL = 'http://proxy.example.com:3128';

/** What is given beside the example, the faulty member, and a word of the reason. */
const REFUSED: readonly [string, Record<string, unknown>, string, RegExp][] = [
  ['a limit of 501', { pageLimit: 501 }, 'pageLimit', /1 to 500/],
  ['a limit of 0', { pageLimit: 0 }, 'pageLimit', /1 to 500/],
  ['a limit as text', { pageLimit: '500' }, 'pageLimit', /whole number/],
  ['a rate shorter than a minute', { rateMinutes: 0.5 }, 'rateMinutes', /from 1 to 60/],
  ['a rate of zero', { rateMinutes: 0 }, 'rateMinutes', /from 1 to 60/],
  ['a rate longer than an hour', { rateMinutes: 61 }, 'rateMinutes', /from 1 to 60/],
  ['a base URL over http', { baseUrl: 'http://api.acme.example' }, 'baseUrl', /https/],
  ['a token URL over http', { authUrl: 'http://auth.acme.example' }, 'authUrl', /https/],
  ['a URL that is none', { baseUrl: 'https://' }, 'baseUrl', /complete URL/],
  ['a URL with a password', { baseUrl: 'https://a:b@acme.example' }, 'baseUrl', /no user, password/],
  ['a URL with a query', { baseUrl: 'https://acme.example/?a=b' }, 'baseUrl', /query/],
  ['an unknown option', { pagelimit: 100 }, 'pagelimit', /not an option; did you mean pageLimit\?/],
  ['an unknown option that resembles none', { colour: 'red' }, 'colour', /not an option$/],
  ['two characters that changed places', { alarmEmial: 'a@b.example' }, 'alarmEmial', /did you mean alarmEmail\?/],
  ['the version of the API in the base URL', { baseUrl: 'https://api.acme.example/v1' }, 'baseUrl', BASE_URL_ADVICE],
  ['the same with a slash', { baseUrl: 'https://api.acme.example/security/v1/' }, 'baseUrl', /without \/v1 .*write/],
  ['a list in the base URL', { baseUrl: 'https://api.acme.example/v1/assets' }, 'baseUrl', BASE_URL_ADVICE],
  [
    'the discovery document in place of the realm',
    { authUrl: 'https://auth.acme.example/realms/acme/.well-known/openid-configuration' },
    'authUrl',
    /write https:\/\/auth\.acme\.example\/realms\/acme$/,
  ],
  [
    'an endpoint for browsers in place of the token endpoint',
    { authUrl: 'https://auth.acme.example/realms/acme/protocol/openid-connect/auth' },
    'authUrl',
    /write https:\/\/auth\.acme\.example\/realms\/acme$/,
  ],
  ['an unknown option further down', { destination: { type: 's3', buffer: 1 } }, 'destination.buffer', /not an option/],
  ['a name with capitals', { name: 'Acme' }, 'name', /lower-case/],
  ['a name that ends in a hyphen', { name: 'acme-' }, 'name', /lower-case/],
  ['a name of 33 characters', { name: 'a'.repeat(33) }, 'name', /32/],
  ['a DNS path that is relative', { dnsBlocksPath: 'v1/dns' }, 'dnsBlocksPath', /begins with \//],
  ['a member of every row in place of the asset’s', { threatAssetField: 'id' }, 'threatAssetField', /names the asset/],
  ['an empty member name', { rowsMember: '' }, 'rowsMember', /empty/],
  ['a lease, which is a variable of the function only', { leaseSeconds: 60 }, 'leaseSeconds', /not an option/],
  ['too little memory', { memoryMegabytes: 128 }, 'memoryMegabytes', /256/],
  ['a log retention that CloudWatch does not offer', { logRetentionDays: 31 }, 'logRetentionDays', /one of/],
  ['an unknown removal policy', { removalPolicy: 'keep' }, 'removalPolicy', /retain/],
  [
    'a secret’s ARN without its six characters',
    { secretArn: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:x' },
    'secretArn',
    /six characters/,
  ],
  ['an ARN of another service', { bucketArn: SECRET_ARN }, 'bucketArn', /arn:aws:s3/],
  ['a table by its name', { stateTableArn: 'acme-State' }, 'stateTableArn', /arn:aws:dynamodb/],
  ['a key by its alias', { kmsKeyArn: 'arn:aws:kms:eu-west-1:111122223333:alias/a' }, 'kmsKeyArn', /key\//],
  ['an address that is none', { alarmEmail: 'on-call' }, 'alarmEmail', /e-mail/],
  ['a tag of AWS', { tags: { 'aws:x': 'y' } }, 'tags.aws:x', /aws:/],
  ['a region that is none', { region: 'Ireland' }, 'region', /eu-west-1/],
  ['an unknown destination', { destination: { type: 'kafka' } }, 'destination.type', /"s3"/],
  ['a destination without its type', { destination: {} }, 'destination.type', /"s3"/],
  ['an endpoint without its address', { destination: { type: 'splunk' } }, 'destination.url', /required/],
  ['an endpoint over http', { destination: { type: 'http', url: 'http://x.example' } }, 'destination.url', /https/],
  [
    'a buffer over a quarter of an hour',
    { destination: { type: 's3', bufferSeconds: 901 } },
    'destination.bufferSeconds',
    /to 900/,
  ],
  [
    'a reader without an external id',
    { siemReader: { type: 'external-id', principal: '111122223333' } },
    'siemReader.externalId',
    /required/,
  ],
  ['a principal that is everybody', { siemReader: { ...READER, principal: '*' } }, 'siemReader.principal', /12 digits/],
  [
    'a workspace id that is none',
    { siemReader: { type: 'sentinel', workspaceId: 'x' } },
    'siemReader.workspaceId',
    /UUID/,
  ],
  ['a VPC without subnets', { vpc: { vpcId: 'vpc-01234567', subnetIds: [] } }, 'vpc.subnetIds', /one subnet/],
  ['a subnet that is none', { vpc: { vpcId: 'vpc-01234567', subnetIds: ['a'] } }, 'vpc.subnetIds[0]', /subnet-/],
  [
    'queries with no objects to read',
    { destination: { type: 'splunk', url: 'https://x.example' }, query: true },
    'query',
    /nothing to read/,
  ],
  ['a bound of queries that nobody can make', { queryScanGigabytes: 10 }, 'queryScanGigabytes', /no effect/],
  ['a proxy by its name', { proxyUrl: 'proxy.example:3128' }, 'proxyUrl', /such as http:\/\/proxy\.example\.com:3128/],
  ['a proxy for SOCKS', { proxyUrl: 'socks5://proxy.example:1080' }, 'proxyUrl', /such as http:/],
  ['a proxy with a password', { proxyUrl: 'http://u:p@proxy.example:3128' }, 'proxyUrl', /no user or password.*admit/],
  ['a proxy with a path', { proxyUrl: 'http://proxy.example:3128/pac' }, 'proxyUrl', /host and port alone/],
  ['hosts without a proxy', { noProxy: ['amazonaws.com'] }, 'noProxy', /no effect without proxyUrl/],
  ['no host', { proxyUrl: PROXY_URL, noProxy: [] }, 'noProxy', /one host at least/],
  ...['*', 'https://a.example', 'a.example:443', 'a.example/b', '10.0.0.0/8', 'a,b', ''].map(
    (host): (typeof REFUSED)[number] => [
      `"${host}" as a host`,
      { proxyUrl: PROXY_URL, noProxy: ['a.example', host] },
      'noProxy[1]',
      /must be a host such as/,
    ],
  ),
  ['a file of certificates that is not there', { caCertificates: 'no.pem' }, 'caCertificates', /^no\.pem .*ENOENT/],
  ['a query that may read nothing', { query: true, queryScanGigabytes: 0 }, 'queryScanGigabytes', /from 1/],
  ['a reader with no queue to read', { siemQueue: false, siemReader: READER }, 'siemReader', /nothing to read/],
  [
    'a reader where no objects are',
    { destination: { type: 'splunk', url: 'https://x.example' }, siemReader: READER },
    'siemReader',
    /nothing to read/,
  ],
  [
    'a retention of a bucket that exists already',
    { retentionDays: 1, bucketArn: 'arn:aws:s3:::bucket' },
    'retentionDays',
    /lifecycle/,
  ],
  [
    'a subscriber of a topic that exists already',
    { alarmEmail: 'a@b.example', alarmTopicArn: 'arn:aws:sns:eu-west-1:111122223333:t' },
    'alarmEmail',
    /subscribe/,
  ],
  [
    'a filter that is no expression',
    { filters: { threats: "severity == 'high" } },
    'filters.threats',
    /no expression of JMESPath: .*column/,
  ],
  ['an empty filter', { filters: { assets: '' } }, 'filters.assets', /empty/],
  [
    'a filter longer than the environment of the function allows',
    { filters: { assets: `a == '${'x'.repeat(1_000)}'` } },
    'filters.assets',
    /1000 characters/,
  ],
  [
    'a filter that orders by a text',
    { filters: { threats: "severity != 'low' && updated_at >= '2026-01-01'" } },
    'filters.threats',
    /^orders by >= with '2026-01-01', but JMESPath orders numbers only/,
  ],
  [
    'a filter with a function that does not exist',
    { filters: { assets: "a && matches(name, 'x')" } },
    'filters.assets',
    /Unknown function: matches\(\)/,
  ],
  [
    'filters that together are longer',
    { filters: { assets: `a == '${'x'.repeat(600)}'`, threats: `a == '${'x'.repeat(600)}'` } },
    'filters',
    /1000 bytes at most, all streams together/,
  ],
  ['a filter of no stream', { filters: { threat: 'a' } }, 'filters.threat', /did you mean threats\?/],
  ['a filter of a stream that is off', { filters: { dnsBlocks: 'a' } }, 'filters.dnsBlocks', /without dnsBlocksPath/],
  ['one filter for all streams', { filters: "severity != 'low'" }, 'filters', /must be an object/],
  ['members left out of a stream that is off', { omit: { dnsBlocks: ['a'] } }, 'omit.dnsBlocks', /the stream is off/],
  ['the id left out', { omit: { assets: ['id'] } }, 'omit.assets[0]', /reads of every row/],
  ['the asset of a threat left out', { omit: { threats: ['asset_id'] } }, 'omit.threats', /could not withdraw/],
  [
    'the asset of a threat left out, under its own name',
    { threatAssetField: 'host', omit: { threats: ['host'] } },
    'omit.threats',
    /could not withdraw/,
  ],
  ['a path of no member', { omit: { assets: ['a..b'] } }, 'omit.assets[0]', /joined by dots/],
  [
    'a refresh that runs cannot keep up with',
    { refreshDays: 7, rateMinutes: 60 },
    'refreshDays',
    /in which runs every 60 minutes read 10 pages of 500 rows each, 266,000 rows, .* 27 days are enough$/,
  ],
  [
    'a refresh of pages that are too small',
    { refreshDays: 2, pageLimit: 10 },
    'refreshDays',
    /read 10 pages of 10 rows each, 91,200 rows/,
  ],
  [
    'a refresh for which the budget of requests is too small',
    { refreshDays: 7, pageLimit: 25, requestsPerMinute: 10 },
    'refreshDays',
    /read 3 pages of 25 rows each, 239,400 rows/,
  ],
  ['a budget that no run can keep to', { requestsPerMinute: 5 }, 'requestsPerMinute', /from 10 to 6000/],
  ['a date for a stream that is off', { dnsBlocksSince: '2026-01-31' }, 'dnsBlocksSince', /the stream is off/],
  ['a date that is none', { dnsBlocksPath: '/d', dnsBlocksSince: '2026-02-30' }, 'dnsBlocksSince', /calendar/],
  ['a refresh that is no number of days', { refreshDays: 0 }, 'refreshDays', /from 1 to 3650/],
  ['nothing left out', { omit: { assets: [] } }, 'omit.assets', /one member at least/],
  [
    'a provider both existing and created',
    {
      siemReader: {
        type: 'sentinel',
        workspaceId: WORKSPACE,
        createOidcProvider: true,
        oidcProviderArn: 'arn:aws:iam::111122223333:oidc-provider/sts.windows.net/33e01921/',
      },
    },
    'siemReader.createOidcProvider',
    /one of the two/,
  ],
];

describe('the configuration', () => {
  test.each(REFUSED)('refuses %s, with path and reason', (_, options, member, reason) => {
    const faults = faultsOf([{ ...EXAMPLE, ...options }]);
    expect(Object.keys(faults)).toEqual([`connectors[0].${member}`]);
    expect(Object.values(faults)[0]).toMatch(reason);
  });

  test.each(VARIANT_NAMES)('takes the variant %s', name => {
    expect(faultsOf([{ ...EXAMPLE, ...VARIANTS[name] }])).toEqual({});
  });

  test('names every fault of every connector at once', () => {
    const faults = faultsOf([{ name: 'A', baseUrl: 'http://x', pageLimit: 501 }, EXAMPLE, 3, { ...EXAMPLE, foo: 1 }]);
    expect(Object.keys(faults).sort()).toEqual([
      'connectors[0].authUrl',
      'connectors[0].baseUrl',
      'connectors[0].name',
      'connectors[0].pageLimit',
      'connectors[2]',
      'connectors[3].foo',
      'connectors[3].name',
    ]);
  });

  test('names every unknown option of every object, and takes nothing for one that is', () => {
    const faults = faultsOf([
      {
        ...EXAMPLE,
        pagelimit: 1,
        rate: 5,
        Name: 'x',
        destination: { type: 's3', bufferSecond: 60, retry: 1 },
        vpc: { vpcID: 'a', subnets: [] },
        tags: { pagelimit: 'any tag' },
      },
      { ...EXAMPLE, name: 'other', siemReader: { type: 'sentinel', workspace: WORKSPACE, externalId: 'x' } },
    ]);
    const unknown = Object.entries(faults).filter(([, reason]) => reason.startsWith('is not an option'));
    expect(Object.fromEntries(unknown)).toEqual({
      'connectors[0].pagelimit': 'is not an option; did you mean pageLimit?',
      'connectors[0].rate': 'is not an option',
      'connectors[0].Name': 'is not an option; did you mean name?',
      'connectors[0].destination.bufferSecond': 'is not an option; did you mean bufferSeconds?',
      'connectors[0].destination.retry': 'is not an option',
      'connectors[0].vpc.vpcID': 'is not an option; did you mean vpcId?',
      'connectors[0].vpc.subnets': 'is not an option; did you mean subnetIds?',
      'connectors[1].siemReader.workspace': 'is not an option; did you mean workspaceId?',
      'connectors[1].siemReader.externalId': 'is not an option',
    });
  });

  test.each(['name', 'baseUrl', 'authUrl'])('requires %s', member => {
    const rest = Object.fromEntries(Object.entries(EXAMPLE).filter(([key]) => key !== member));
    expect(faultsOf([rest])).toEqual({ [`connectors[0].${member}`]: 'is required' });
  });

  test('refuses a name that would collide', () => {
    expect(faultsOf([EXAMPLE, { ...EXAMPLE }])).toEqual({
      'connectors[1].name': expect.stringMatching(/collide.*connectors\[0\]/),
    });
  });

  test('refuses credentials shared by two connectors', () => {
    const list = ['a', 'b'].map(name => ({ ...EXAMPLE, name, secretArn: SECRET_ARN }));
    expect(faultsOf(list)).toEqual({ 'connectors[1].secretArn': expect.stringMatching(/one organization/) });
  });

  test('refuses a table shared by two connectors', () => {
    const stateTableArn = 'arn:aws:dynamodb:eu-west-1:111122223333:table/shared';
    const list = ['a', 'b'].map(name => ({ ...EXAMPLE, name, stateTableArn }));
    expect(faultsOf(list)).toEqual({ 'connectors[1].stateTableArn': expect.stringMatching(/mix .*its own table/) });
  });

  test('refuses a bucket shared by two connectors, and says what to do', () => {
    const bucketArn = 'arn:aws:s3:::shared';
    const list = ['a', 'b', 'c'].map(name => ({ ...EXAMPLE, name, ...(name !== 'b' && { bucketArn }) }));
    expect(faultsOf(list)).toEqual({
      'connectors[2].bucketArn': expect.stringMatching(/reader.*the other’s events.*own bucket.*connectors\[0\]/),
    });
  });

  test('refuses a second identity provider in one account', () => {
    const siemReader = { type: 'sentinel', workspaceId: WORKSPACE, createOidcProvider: true };
    const list = ['a', 'b'].map(name => ({ ...EXAMPLE, name, siemReader }));
    expect(faultsOf(list)).toEqual({ 'connectors[1].siemReader.createOidcProvider': expect.stringMatching(/once/) });
  });

  test.each([
    ['nothing', undefined],
    ['an object', { name: 'a' }],
    ['an empty list', []],
    ['text that is no JSON', '[}]'],
    ['the JSON text of an object', '{}'],
  ])('refuses %s', (_, context) => {
    expect(Object.keys(faultsOf(context))).toEqual(['connectors']);
  });

  test.each([
    ['cut behind its first line', '['],
    ['cut within a text', '[{"name": "acme'],
    ['whose first line is blank', ''],
  ])('says of text %s that the CDK has cut it, and what to write', (_, context) => {
    expect(faultsOf(context)).toEqual({ connectors: expect.stringMatching(/only the first line.*connectorsFile=/) });
  });

  test('does not blame the CDK for text that is wrong by itself', () => {
    expect(faultsOf('[}]')).toEqual({ connectors: 'must be valid JSON when given as text' });
  });

  test('is the same as a list and as the JSON text of one', () => {
    const list = [EXAMPLE, { ...EXAMPLE, name: 'other', ...VARIANTS.query }];
    expect(readConnectors(JSON.stringify(list))).toEqual(readConnectors(list));
  });

  test('fills in every default', () => {
    expect(readConnectors([EXAMPLE])).toMatchObject([
      {
        ...EXAMPLE,
        threatAssetField: 'asset_id',
        pageLimit: 500,
        format: 'envelope',
        query: false,
        queryScanGigabytes: 100,
        rateMinutes: 1,
        enabled: true,
        memoryMegabytes: 1769,
        logRetentionDays: 90,
        retentionDays: 365,
        removalPolicy: 'retain',
        terminationProtection: true,
        destination: { type: 's3', bufferSeconds: 60 },
        siemQueue: true,
        runbookUrl: 'docs/runbook.md',
        dashboard: false,
        tags: {},
      },
    ]);
  });

  test('has a valid example in cdk.json', () => {
    const { context } = JSON.parse(readFileSync(path.join(ROOT, 'cdk.json'), 'utf8'));
    expect(faultsOf(context.connectors)).toEqual({});
  });
});

describe('the configuration in a file', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'connectors-'));
  const write = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return name;
  };
  const faults = (context: Record<string, unknown>) => faultsOfReading(() => connectorsIn(context, folder));
  const one = write('one.json', JSON.stringify([EXAMPLE], null, 2));

  test('is read from below the folder of cdk.json, or from an absolute path', () => {
    const list = readConnectors([EXAMPLE]);
    expect(connectorsIn({ connectorsFile: one }, folder)).toEqual(list);
    expect(connectorsIn({ connectorsFile: path.join(folder, one) }, '/')).toEqual(list);
  });

  test('takes the place of the example that comes with cdk.json', () => {
    const { context } = JSON.parse(readFileSync(path.join(ROOT, 'cdk.json'), 'utf8'));
    expect(connectorsIn({ ...context, connectorsFile: one }, folder)).toEqual(readConnectors([EXAMPLE]));
  });

  test.each([
    ['a list of their own in cdk.json', [{ ...EXAMPLE, baseUrl: 'https://api.acme.com' }]],
    ['a list on the command line', JSON.stringify([EXAMPLE])],
  ])('is refused together with %s, because one of the two would be ignored', (_, connectors) => {
    expect(faults({ connectors, connectorsFile: one })).toEqual({
      connectorsFile:
        'cannot be used together with connectors: remove "connectors" from cdk.json, or give one of the two',
    });
  });

  test.each([
    ['is not there', 'missing.json', /missing\.json cannot be read \(ENOENT\)/],
    ['is a folder', '.', /cannot be read \(EISDIR\)/],
    ['is no JSON', write('torn.json', '[\n  {"name": "acme",'), /torn\.json is not valid JSON/],
    ['has no name', '', /must be the path of a JSON file/],
    ['is no text', 3, /must be the path of a JSON file/],
  ])('that %s is refused with a reason', (_, connectorsFile, reason) => {
    expect(faults({ connectorsFile })).toEqual({ connectorsFile: expect.stringMatching(reason) });
  });

  test('reports every fault of every entry at once, as cdk.json does', () => {
    const wrong = write('wrong.json', JSON.stringify([{ ...EXAMPLE, pagelimit: 1, pageLimit: 501 }, { name: 'A' }]));
    expect(Object.keys(faults({ connectorsFile: wrong })).sort()).toEqual([
      'connectors[0].pageLimit',
      'connectors[0].pagelimit',
      'connectors[1].authUrl',
      'connectors[1].baseUrl',
      'connectors[1].name',
    ]);
  });
});

describe('the file of certificate authorities', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'authorities-'));
  const authority = certificateAuthority('Acme root');
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  const faults = (caCertificates: string) =>
    faultsOfReading(() => readConnectors([{ ...EXAMPLE, caCertificates }], folder))['connectors[0].caCertificates'];

  test('is taken from below the folder of cdk.json, with text between its certificates', () => {
    write('two.pem', `# Acme\n${authority.certificate}# Acme 2\n${certificateAuthority('Acme 2').certificate}`);
    expect(faults('two.pem')).toBeUndefined();
    expect(faults(path.join(folder, 'two.pem'))).toBeUndefined();
  });

  test.each([
    ['a private key beside the certificate', authority.certificate + authority.key, /private key.*certificates alone/],
    ['no certificate', 'Acme', /no certificate in PEM/],
    [
      'a damaged certificate',
      `${authority.certificate}${authority.certificate.replace('MII', 'XXX')}`,
      /number 2 of 2/,
    ],
  ])('is refused with %s', (_, text, reason) => {
    write('wrong.pem', text);
    expect(faults('wrong.pem')).toMatch(reason);
  });
});

/** The app, as the command line of the CDK starts it. */
function appWith(context: object, out: string) {
  const env = { ...process.env, CDK_OUTDIR: out, CDK_CONTEXT_JSON: JSON.stringify(context) };
  return spawnSync(process.execPath, ['bin/connector.ts'], { cwd: ROOT, env, encoding: 'utf8' });
}

describe('the configuration through the command line of the CDK', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'connectors-'));
  const file = path.join(folder, 'connectors.json');
  // Faulty, so that the app ends before it bundles anything.
  writeFileSync(file, JSON.stringify([{ ...EXAMPLE, pageLimit: 501 }], null, 2));

  function synth(...context: string[]): string {
    const options = ['--no-notices', '--output', path.join(folder, 'out'), ...context.flatMap(each => ['-c', each])];
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [path.join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk'), 'synth', '--quiet', ...options],
      {
        cwd: ROOT,
        env: { ...process.env, CDK_DISABLE_CLI_TELEMETRY: 'true', CDK_DISABLE_VERSION_CHECK: '1' },
        encoding: 'utf8',
      },
    );
    expect(status).not.toBe(0);
    return `${stdout}${stderr}`;
  }

  test('text of several lines arrives cut, and the fault says so and names the file as the way out', () => {
    const output = synth(`connectors=${readFileSync(file, 'utf8')}`);
    expect(output).toContain('connectors: ends before its JSON does. The CDK takes only the first line');
    expect(output).toContain('-c connectorsFile=connectors.json');
  });

  test('the same list arrives whole as a file', () => {
    const { status, stderr } = appWith({ connectorsFile: file }, path.join(folder, 'app'));
    expect(status).toBe(1);
    expect(stderr).toContain('connectors[0].pageLimit: must be a whole number');
  });
});

test('a faulty configuration ends the app with every fault before anything is bundled or written', () => {
  const out = mkdtempSync(path.join(os.tmpdir(), 'connector-'));
  const connectors = [EXAMPLE, { ...EXAMPLE, name: 'other', pageLimit: 501, baseUrl: 'http://x' }];
  const { status, stderr } = appWith({ connectors }, out);
  expect({ status, written: readdirSync(out) }).toEqual({ status: 1, written: [] });
  expect(stderr).toContain('connectors[1].pageLimit: must be a whole number from 1 to 500');
  expect(stderr).toContain('connectors[1].baseUrl: must begin with https://');
  expect(stderr).not.toContain('Bundling');
});
