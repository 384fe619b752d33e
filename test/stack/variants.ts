const ACCOUNT = '111122223333';
const OTHER_ACCOUNT = '444455556666';

export const KEY_ARN = `arn:aws:kms:eu-west-1:${ACCOUNT}:key/01234567-89ab-cdef-0123-456789abcdef`;
export const BOUNDARY_ARN = `arn:aws:iam::${ACCOUNT}:policy/boundary`;
export const SECRET_ARN = `arn:aws:secretsmanager:eu-west-1:${ACCOUNT}:secret:acme-AbCdEf`;

const network = { vpcId: 'vpc-0123456789abcdef0', subnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'] };

/**
 * Configurations that together have every option except `caCertificates`, because its file must
 * exist. A test looks for each option.
 */
export const VARIANTS = {
  plain: {},
  everyOption: {
    dnsBlocksPath: '/v1/dns-blocks',
    dnsBlocksSince: '2026-01-01T00:00:00Z',
    threatAssetField: 'asset',
    rowsMember: 'data',
    paginationMember: 'page',
    filters: { threats: "severity != 'low'", dnsBlocks: "domain != 'internal.example'" },
    omit: { assets: ['contact.email'], dnsBlocks: ['user'] },
    refreshDays: 90,
    reconcileDays: 30,
    requestsPerMinute: 600,
    rateMinutes: 60,
    memoryMegabytes: 1024,
    logRetentionDays: 30,
    retentionDays: 30,
    kmsKeyArn: KEY_ARN,
    alarmEmail: 'on-call@acme.example',
    runbookUrl: 'https://wiki.acme.example/runbook',
    vpc: network,
    proxyUrl: 'http://proxy.acme.example:443',
    noProxy: ['amazonaws.com'],
    permissionsBoundaryArn: BOUNDARY_ARN,
    siemReader: { type: 'external-id', principal: ACCOUNT, externalId: 'from-the-form' },
    dashboard: true,
  },
  existingParts: {
    secretArn: SECRET_ARN,
    bucketArn: 'arn:aws:s3:::acme-security-data',
    stateTableArn: `arn:aws:dynamodb:eu-west-1:${ACCOUNT}:table/acme-State`,
    alarmTopicArn: `arn:aws:sns:eu-west-1:${ACCOUNT}:on-call`,
    runbookUrl: 'https://git.acme.example/docs/runbook.md',
    vpc: { ...network, securityGroupIds: ['sg-0123456789abcdef0'] },
  },
  buffered: { destination: { type: 's3', bufferSeconds: 120 }, siemQueue: false, outputs: false },
  splunk: { destination: { type: 'splunk', url: 'https://splunk.acme.example:8088' }, kmsKeyArn: KEY_ARN },
  http: {
    destination: {
      type: 'http',
      url: 'https://siem.acme.example/in?feed=1',
      name: 'SIEM',
      secretArn: SECRET_ARN,
      retrySeconds: 60,
    },
    removalPolicy: 'destroy',
    enabled: false,
  },
  existing: {
    destination: {
      type: 'existing',
      deliveryStreamArn: `arn:aws:firehose:eu-west-1:${ACCOUNT}:deliverystream/events`,
      deliversTo: 'splunk',
    },
  },
  sentinel: {
    siemReader: { type: 'sentinel', workspaceId: '11111111-2222-4333-8444-555555555555', createOidcProvider: true },
    account: ACCOUNT,
    region: 'eu-west-1',
  },
  changedAlarms: {
    alarms: {
      'siem-reader-stalled': { threshold: 7200, severity: 'warning' },
      'delivery-failing': { threshold: 0.5 },
      'stream-behind': { severity: 'critical' },
      'function-errors': false,
    },
  },
  landingZone: {
    rolePath: '/security/connectors/',
    namePrefix: 'secops-acme-',
    permissionsBoundaryArn: BOUNDARY_ARN,
    siemReader: { type: 'sentinel', workspaceId: '11111111-2222-4333-8444-555555555555' },
    vpc: network,
  },
  readers: {
    siemReaders: [
      { name: 'lake', reader: { type: 'external-id', principal: ACCOUNT, externalId: 'of-the-lake' } },
      { name: 'shared', queueArn: `arn:aws:sqs:eu-west-1:${OTHER_ACCOUNT}:siem` },
    ],
    kmsKeyArn: KEY_ARN,
  },
  government: { account: ACCOUNT, region: 'us-gov-west-1' },
  china: { account: ACCOUNT, region: 'cn-north-1' },
} as const satisfies Record<string, Record<string, unknown>>;

export const VARIANT_NAMES = Object.keys(VARIANTS) as readonly (keyof typeof VARIANTS)[];
