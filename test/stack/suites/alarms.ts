import { describe, expect, test } from '@jest/globals';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { METRIC_NAMESPACE, SENT_WHEN_ZERO } from '../../../lambda/metrics.ts';
import { ALARMS } from '../../../lib/alarms/alarms.ts';
import { ConnectorStack } from '../../../lib/connector-stack.ts';
import { configured, createApp, synthesize } from '../synth.ts';
import { resources } from '../template.ts';
import { VARIANT_NAMES, VARIANTS } from '../variants.ts';

interface Alarm {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Statistic: string;
  readonly Period: number;
  readonly EvaluationPeriods: number;
  readonly Threshold: number;
  readonly ComparisonOperator: string;
  readonly TreatMissingData: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface Query {
  readonly Expression?: string;
  readonly MetricStat?: { readonly Metric: object; readonly Period: number; readonly Stat: string };
}

function alarms(options: object = {}): Alarm[] {
  const found = resources(synthesize({ ...options }), 'AWS::CloudWatch::Alarm');
  return found.map(({ Properties }) => flat(Properties as unknown as Alarm & { readonly Metrics?: readonly Query[] }));
}

/** An alarm on an expression, as one on the metric behind it. */
function flat({ Metrics: queries, ...alarm }: Alarm & { readonly Metrics?: readonly Query[] }): Alarm {
  const behind = queries?.find(({ MetricStat }) => MetricStat)?.MetricStat;
  return behind ? { ...alarm, ...behind.Metric, Period: behind.Period, Statistic: behind.Stat } : alarm;
}

/** Names without the connector’s. */
function names(options: object = {}): string[] {
  return alarms(options).map(({ AlarmName }) => AlarmName.replace(/^acme\//, ''));
}

function alarm(name: string, options: object = {}): Alarm {
  return alarms(options).find(({ AlarmName }) => AlarmName === `acme/${name}`)!;
}

describe.each(VARIANT_NAMES)('the alarms of the variant %s', variant => {
  const all = alarms(VARIANTS[variant]);
  const template = synthesize(VARIANTS[variant]);

  test('each alarm says effect and first command, and links to its section of the runbook', () => {
    const { runbookUrl = 'docs/runbook.md' } = VARIANTS[variant] as { readonly runbookUrl?: string };
    for (const { AlarmName, AlarmDescription } of all) {
      const name = AlarmName.split('/')[1]!;
      const { first } = ALARMS.find(each => each.name === name)!;
      expect(AlarmDescription).toMatch(/^(Reader lake: )?[A-Z].{20,}\. [A-Z].{10,}\. First run "/);
      const command = `First run "npm run connectorctl -- ${first} --connector acme". Runbook: ${runbookUrl}#${name}`;
      expect(AlarmDescription.endsWith(command)).toBe(true);
    }
  });

  test('each alarm looks at a window that CloudWatch evaluates', () => {
    const wrong = all.filter(({ Period, EvaluationPeriods }) => {
      const longest = Period >= 3600 ? 604_800 : 86_400;
      return Period % 60 !== 0 || Period * EvaluationPeriods > longest;
    });
    expect(wrong).toEqual([]);
  });

  test('each alarm is part of exactly one of the two composite alarms, which name its first command', () => {
    const composites = resources(template, 'AWS::CloudWatch::CompositeAlarm').map(({ Properties }) => Properties);
    const rules = composites.map(({ AlarmRule }) => JSON.stringify(AlarmRule));
    const ids = Object.keys(template.Resources).filter(id => template.Resources[id]!.Type === 'AWS::CloudWatch::Alarm');
    expect(rules).toHaveLength(2);
    expect(ids.filter(id => rules.filter(rule => rule.includes(`"${id}"`)).length !== 1)).toEqual([]);

    const texts = composites.map(({ AlarmDescription }) => String(AlarmDescription)).join();
    const named = [...texts.matchAll(/([a-z-]+(?: list)?) \(([a-z, -]+)\)/g)].flatMap(([, command, names]) =>
      names!.split(', ').map(name => `${name}: ${command}`),
    );
    const present = new Set(all.map(({ AlarmName }) => AlarmName.split('/')[1]));
    const first = ALARMS.filter(({ name }) => present.has(name)).map(alarm => `${alarm.name}: ${alarm.first}`);
    expect(named.sort()).toEqual(first.sort());
  });
});

describe('silence', () => {
  test('silence of a stream fires its alarm, and silence of a service ends one', () => {
    expect(alarm('stream-silent')).toMatchObject({ TreatMissingData: 'breaching' });
    const services = [...alarms(), ...alarms(VARIANTS.splunk)].filter(({ Namespace }) => Namespace.startsWith('AWS/'));
    expect(new Set(services.map(({ TreatMissingData }) => TreatMissingData))).toEqual(new Set(['notBreaching']));
  });

  test('a metric that a run sends only when it is not zero counts as zero without a point', () => {
    const found = resources(synthesize(), 'AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
    const omitted = found.filter(properties => {
      const text = JSON.stringify(properties);
      const isOwn = text.includes(`"Namespace":"${METRIC_NAMESPACE}"`);
      return isOwn && ![...SENT_WHEN_ZERO].some(name => text.includes(`"${name}"`));
    });
    expect(omitted.length).toBeGreaterThan(5);
    for (const { Metrics: queries, TreatMissingData } of omitted) {
      expect((queries as Query[]).map(({ Expression }) => Expression)).toContain('FILL(reported, 0)');
      expect(TreatMissingData).toBe('notBreaching');
    }
  });

  test.each([1, 5, 60])('alarms cover the longest runs at a rate of %d minutes', rateMinutes => {
    const { Period, EvaluationPeriods } = alarm('stream-silent', { rateMinutes });
    // CloudWatch looks back further periods before it treats a point as missing, so a period is a minute.
    expect([Period, EvaluationPeriods]).toEqual([60, 2 * (15 + rateMinutes)]);
    expect(alarm('contract-error', { rateMinutes }).Period).toBeGreaterThanOrEqual((15 + rateMinutes) * 60);
  });
});

describe('the option alarms', () => {
  const { changedAlarms } = VARIANTS;
  const rule = (severity: string, options: object = changedAlarms) => {
    const found = resources(synthesize({ ...options }), 'AWS::CloudWatch::CompositeAlarm');
    const { Properties } = found.find(each => each.Properties['AlarmName'] === `acme/${severity}`)!;
    return JSON.stringify(Properties['AlarmRule']);
  };

  test('the option changes only the threshold of an alarm and its description', () => {
    const { AlarmDescription: text, Threshold, ...others } = alarm('siem-reader-stalled', changedAlarms);
    const { AlarmDescription: before, Threshold: _, ...same } = alarm('siem-reader-stalled');
    expect(Threshold).toBe(7200);
    expect(others).toEqual(same);
    expect(text).toBe(before.replace(' First run', ' The threshold of this alarm was changed to 7200. First run'));
  });

  test('the option moves an alarm to the other composite alarm, and leaves out one that is false', () => {
    expect(rule('critical', {})).toContain('siemreaderstalled');
    expect(rule('critical')).not.toContain('siemreaderstalled');
    expect(rule('warning')).toContain('siemreaderstalled');
    expect(names().filter(name => !names(changedAlarms).includes(name))).toEqual(['function-errors']);
  });

  test('a composite alarm without any alarm has the rule false', () => {
    const everyWarning = Object.fromEntries(ALARMS.map(({ name }) => [name, { severity: 'warning' }]));
    expect(rule('critical', { alarms: everyWarning })).toBe('"FALSE"');
  });

  test.each<[object, string]>([
    [{ 'stream-silnt': false }, 'stream-silnt: is not an alarm; did you mean stream-silent? Known: '],
    [{ 'dead-letters': { threshold: 0 } }, 'dead-letters.threshold: must be a number greater than 0'],
    [{ 'dead-letters': true }, 'dead-letters: must be false, or an object with a threshold greater than 0'],
  ])('the option refuses %j', (given, text) => {
    expect(() => configured({ alarms: given })).toThrow(`connectors[0].alarms.${text}`);
  });
});

test('alarms are about the connector, so that a stream more costs none', () => {
  expect(names({ dnsBlocksPath: '/v1/dns-blocks' })).toEqual(names());
});

test('a stream without a path appears nowhere in the template', () => {
  expect(JSON.stringify(synthesize({ dashboard: true }))).not.toContain('dns-blocks');
});

test('an alarm fires at its threshold, and the one about successful deliveries below it', () => {
  const below = alarms(VARIANTS.splunk).filter(each => each.ComparisonOperator === 'LessThanThreshold');
  const others = alarms(VARIANTS.splunk).filter(each => each.ComparisonOperator === 'GreaterThanOrEqualToThreshold');
  expect(below.map(({ AlarmName, Threshold }) => `${AlarmName} ${Threshold}`)).toEqual(['acme/delivery-failing 1']);
  expect(others).toHaveLength(alarms(VARIANTS.splunk).length - 1);
});

describe('the alarms of delivery', () => {
  test('the alarms of delivery follow the buffer and the kind of destination', () => {
    expect(alarm('delivery-late')).toMatchObject({ MetricName: 'DeliveryToS3.DataFreshness', Threshold: 1020 });
    expect(alarm('delivery-late', VARIANTS.buffered)).toMatchObject({ Threshold: 1140 });
    expect(alarm('delivery-failing', VARIANTS.http)).toMatchObject({ MetricName: 'DeliveryToHttpEndpoint.Success' });
    const withBackup = VARIANT_NAMES.filter(name => names(VARIANTS[name]).includes('delivery-backup-used'));
    expect(withBackup).toEqual(['splunk', 'http', 'existing']);
  });

  test.each([
    ['splunk', 'DeliveryToSplunk', 'BackupToS3.Records'],
    ['opensearch', 'DeliveryToAmazonOpenSearchService', 'BackupToS3.Records'],
    ['iceberg', 'DeliveryToIceberg', 'DeliveryToIceberg.FailedRowCount'],
    ['snowflake', 'DeliveryToSnowflake', 'BackupToS3.Records'],
  ])(
    'the alarms of an existing stream to %s watch the metrics that Firehose has for it',
    (deliversTo, prefix, backup) => {
      const options = { destination: { ...VARIANTS.existing.destination, deliversTo } };
      expect(alarm('delivery-late', options)).toMatchObject({ MetricName: `${prefix}.DataFreshness` });
      expect(alarm('delivery-failing', options)).toMatchObject({ MetricName: `${prefix}.Success` });
      expect(alarm('delivery-backup-used', options)).toMatchObject({ MetricName: backup, Statistic: 'Sum' });
    },
  );
});

describe('notifications', () => {
  const composites = (options: object = {}) =>
    resources(synthesize({ ...options }), 'AWS::CloudWatch::CompositeAlarm').map(({ Properties }) => Properties);

  test('a notification says whether data is safe, and how to run the commands', () => {
    const [warning, critical] = composites()
      .map(({ AlarmDescription }) => String(AlarmDescription))
      .sort();
    expect(warning).toContain(' No data is lost. ');
    expect(critical).toContain(
      ' No data is lost, except with delivery-late or delivery-failing after 24 hours or the retry duration of Firehose, or if the delivery stream was deleted. ',
    );
    for (const text of [warning, critical])
      expect(text).toMatch(
        /"npm run connectorctl -- <command> --connector acme".* Runbook: the connector’s docs\/runbook.md$/,
      );
  });

  test.each([undefined, 'critical', 'warning'])(
    'a description with the longest names and addresses has 1,024 characters at most (every alarm changed: %s)',
    severity => {
      const override = { severity, threshold: 0.123456789 };
      const runbookUrl = `https://wiki.example/${'r'.repeat(256)}`.slice(0, 256);
      const changed = severity && { alarms: Object.fromEntries(ALARMS.map(({ name }) => [name, override])) };
      const longest = { name: 'a'.repeat(32), runbookUrl, ...changed };
      const endpoint = { destination: { type: 'http', url: 'https://siem.example' } };
      const texts = [{}, endpoint].flatMap(kind => {
        const template = synthesize({ ...longest, ...kind });
        return ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap(type =>
          resources(template, type).map(({ Properties }) => String(Properties['AlarmDescription'])),
        );
      });
      expect(texts.filter(text => !text.includes(runbookUrl))).toEqual([]);
      expect(Math.max(...texts.map(text => text.length))).toBeLessThanOrEqual(1024);
      expect(() => configured({ runbookUrl: `${runbookUrl}x` })).toThrow(/runbookUrl: must have 256 characters/);
    },
  );

  test.each<[warned: boolean, object]>([
    [true, { alarmEmail: 'on-call@acme.example' }],
    [true, { alarmTopicArn: VARIANTS.existingParts.alarmTopicArn }],
    [false, VARIANTS.everyOption],
    [false, {}],
  ])('synth warns of a runbook without an address if somebody is notified: %s with %j', (warned, options) => {
    const stack = new ConnectorStack(createApp(), configured({ ...options }));
    const warnings = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('runbookUrl'));
    expect(warnings).toHaveLength(warned ? 1 : 0);
  });

  test('a composite alarm notifies of its beginning and its end, through the topic of the stack or an existing one', () => {
    const own = [{ Ref: expect.stringMatching(/^ConnectorAlarmTopic/) }];
    expect(composites()).toEqual(
      composites().map(() => expect.objectContaining({ AlarmActions: own, OKActions: own })),
    );
    expect(composites(VARIANTS.existingParts)[0]!['AlarmActions']).toEqual([VARIANTS.existingParts.alarmTopicArn]);
  });

  test('the topic lets CloudWatch publish for this connector’s alarms, and has the e-mail address of the options', () => {
    const template = synthesize(VARIANTS.everyOption);
    const [, policy] = Object.entries(template.Resources).find(([id]) => /^ConnectorAlarmTopicPolicy/.test(id))!;
    expect(JSON.stringify(policy)).toMatch(/:alarm:acme\/\*".*"Service":"cloudwatch\.amazonaws\.com"/);
    const emails = resources(template, 'AWS::SNS::Subscription').filter(
      each => each.Properties['Protocol'] === 'email',
    );
    expect(emails.map(({ Properties }) => Properties['Endpoint'])).toEqual(['on-call@acme.example']);
  });
});
