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

describe('the table of alarms', () => {
  test('says for each what it does to people and what to the data', () => {
    const silent = ALARMS.filter(
      ({ impact, data }) => !/^[A-Z].{20,}\.$/.test(impact) || !/^[A-Z].{10,}\.$/.test(data),
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});

describe.each(VARIANT_NAMES)('the alarms of the variant %s', variant => {
  const all = alarms(VARIANTS[variant]);

  test('each alarm links to its section of the runbook', () => {
    const { runbookUrl: base = 'docs/runbook.md' } = VARIANTS[variant] as { readonly runbookUrl?: string };
    const lost = all.filter(
      ({ AlarmName, AlarmDescription }) => !AlarmDescription.endsWith(` Runbook: ${base}#${AlarmName.split('/')[1]}`),
    );
    expect(lost).toEqual([]);
  });

  test('look at windows that CloudWatch evaluates', () => {
    const wrong = all.filter(({ Period, EvaluationPeriods }) => {
      const longest = Period >= 3600 ? 604_800 : 86_400;
      return Period % 60 !== 0 || Period * EvaluationPeriods > longest;
    });
    expect(wrong).toEqual([]);
  });

  test('are each part of exactly one of the two composite alarms that notify people', () => {
    const rules = resources(synthesize(VARIANTS[variant]), 'AWS::CloudWatch::CompositeAlarm').map(({ Properties }) =>
      JSON.stringify(Properties['AlarmRule']),
    );
    const ids = Object.entries(synthesize(VARIANTS[variant]).Resources)
      .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
      .map(([id]) => id);
    expect(rules).toHaveLength(2);
    expect(ids.filter(id => rules.filter(rule => rule.includes(`"${id}"`)).length !== 1)).toEqual([]);
  });
});

describe('silence', () => {
  test('of a stream goes off its alarm', () => {
    expect(alarm('stream-silent')).toMatchObject({ TreatMissingData: 'breaching' });
  });

  test('of a service ends its alarm, because a service reports nothing while it has nothing to do', () => {
    const services = [...alarms(), ...alarms(VARIANTS.splunk)].filter(({ Namespace }) => Namespace.startsWith('AWS/'));
    expect(new Set(services.map(({ TreatMissingData }) => TreatMissingData))).toEqual(new Set(['notBreaching']));
  });

  test('of what a run sends only when it is not zero counts as zero', () => {
    const found = resources(synthesize(), 'AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
    const omitted = found.filter(properties => {
      const text = JSON.stringify(properties);
      return (
        text.includes(`"Namespace":"${METRIC_NAMESPACE}"`) &&
        ![...SENT_WHEN_ZERO].some(name => text.includes(`"${name}"`))
      );
    });
    expect(omitted.length).toBeGreaterThan(5);
    for (const { Metrics: queries, TreatMissingData } of omitted) {
      expect((queries as Query[]).map(({ Expression }) => Expression)).toContain('FILL(reported, 0)');
      expect(TreatMissingData).toBe('notBreaching');
    }
  });

  test.each([1, 5, 60])(
    'is evaluated minute by minute over two of the longest runs at a rate of %d minutes',
    rateMinutes => {
      const { Period, EvaluationPeriods } = alarm('stream-silent', { rateMinutes });
      // CloudWatch looks back further periods before it treats a point as missing.
      expect(Period).toBe(60);
      expect(Period * EvaluationPeriods).toBe(2 * (15 + rateMinutes) * 60);
    },
  );

  test.each([1, 5, 60])('during the longest run does not end an alarm at a rate of %d minutes', rateMinutes => {
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
  const every = (override: object | false) => Object.fromEntries(ALARMS.map(({ name }) => [name, override]));

  test('changes the threshold of an alarm and says so in its description, and nothing else of it', () => {
    const { AlarmDescription: text, Threshold, ...others } = alarm('siem-reader-stalled', changedAlarms);
    const { AlarmDescription: before, Threshold: _, ...same } = alarm('siem-reader-stalled');
    expect(Threshold).toBe(7200);
    expect(others).toEqual(same);
    expect(text).toBe(before.replace(' First run', ' The threshold of this alarm was changed to 7200. First run'));
  });

  test('moves an alarm to the other composite alarm', () => {
    expect(rule('critical', {})).toContain('siemreaderstalled');
    expect(rule('critical')).not.toContain('siemreaderstalled');
    expect(rule('warning')).toContain('siemreaderstalled');
  });

  test('leaves an alarm out that is false', () => {
    expect(names().filter(name => !names(changedAlarms).includes(name))).toEqual(['function-errors']);
    expect(rule('warning')).not.toContain('functionerrors');
  });

  test('can leave a composite alarm without any: its rule is then false', () => {
    expect(rule('critical', { alarms: every({ severity: 'warning' }) })).toBe('"FALSE"');
  });

  test.each<[string, object, string]>([
    ['an unknown alarm', { 'stream-slow': false }, 'stream-slow: is not an alarm. Known: contract-error, '],
    [
      'a misspelt alarm',
      { 'stream-silnt': false },
      'stream-silnt: is not an alarm; did you mean stream-silent? Known: ',
    ],
    [
      'a threshold of 0',
      { 'dead-letters': { threshold: 0 } },
      'dead-letters.threshold: must be a number greater than 0',
    ],
    ['true', { 'dead-letters': true }, 'dead-letters: must be false, or an object with a threshold greater than 0'],
  ])('refuses %s', (_, given, text) => {
    expect(() => configured({ alarms: given })).toThrow(`connectors[0].alarms.${text}`);
  });
});

test('alarms are about the connector, so that a stream more costs none', () => {
  expect(names({ dnsBlocksPath: '/v1/dns-blocks' })).toEqual(names());
});

test('a stream without a path appears nowhere in the template', () => {
  expect(JSON.stringify(synthesize({ dashboard: true }))).not.toContain('dns-blocks');
});

describe('thresholds', () => {
  test('of delivery follow the buffer and the kind of destination', () => {
    expect(alarm('delivery-late')).toMatchObject({ MetricName: 'DeliveryToS3.DataFreshness', Threshold: 1020 });
    expect(alarm('delivery-late', VARIANTS.buffered)).toMatchObject({ Threshold: 1140 });
    expect(alarm('delivery-late', VARIANTS.splunk)).toMatchObject({ MetricName: 'DeliveryToSplunk.DataFreshness' });
    expect(alarm('delivery-failing', VARIANTS.http)).toMatchObject({ MetricName: 'DeliveryToHttpEndpoint.Success' });
    expect(alarm('delivery-failing', VARIANTS.existing)).toMatchObject({ MetricName: 'DeliveryToSplunk.Success' });
  });

  test.each([
    ['opensearch', 'DeliveryToAmazonOpenSearchService', 'BackupToS3.Records'],
    ['iceberg', 'DeliveryToIceberg', 'DeliveryToIceberg.FailedRowCount'],
    ['snowflake', 'DeliveryToSnowflake', 'BackupToS3.Records'],
  ])('of an existing stream to %s watch the metrics that Firehose has for it', (deliversTo, prefix, backup) => {
    const options = { destination: { ...VARIANTS.existing.destination, deliversTo } };
    expect(alarm('delivery-late', options)).toMatchObject({ MetricName: `${prefix}.DataFreshness` });
    expect(alarm('delivery-failing', options)).toMatchObject({ MetricName: `${prefix}.Success` });
    expect(alarm('delivery-backup-used', options)).toMatchObject({ MetricName: backup, Statistic: 'Sum' });
  });

  test('of a backup exist only where there is one', () => {
    const withBackup = VARIANT_NAMES.filter(name => names(VARIANTS[name]).includes('delivery-backup-used'));
    expect(withBackup).toEqual(['splunk', 'http', 'existing']);
  });
});

describe('who is notified', () => {
  const notified = (options: object) =>
    resources(synthesize({ ...options }), 'AWS::CloudWatch::CompositeAlarm').map(
      ({ Properties }) => Properties['AlarmDescription'] as string,
    );

  test('reads in the notification what to do first: a command that can be typed as it is', () => {
    for (const { AlarmName, AlarmDescription } of alarms(VARIANTS.everyOption)) {
      const { first } = ALARMS.find(({ name }) => name === AlarmName.split('/')[1])!;
      expect(AlarmDescription).toContain(`First run "npm run connectorctl -- ${first} --connector acme"`);
    }
  });

  test.each(VARIANT_NAMES)(
    'finds in a composite alarm the command and the section of each alarm in it (%s)',
    variant => {
      const options: Readonly<Record<string, unknown>> = VARIANTS[variant];
      const byName = new Map(alarms(options).map(each => [each.AlarmName.split('/')[1]!, each]));
      const named = notified(options).flatMap(text => {
        expect(text).toContain('"npm run connectorctl -- <command> --connector acme"');
        expect(text).toMatch(new RegExp(` Runbook: ${options['runbookUrl'] ?? 'the connector’s docs/runbook.md'}$`));
        return [...text.matchAll(/([a-z-]+(?: list)?) \(([a-z, -]+)\)/g)].flatMap(([, command, names]) =>
          names!.split(', ').map(name => [name, command]),
        );
      });
      const first = ALARMS.flatMap(alarm => (byName.has(alarm.name) ? [[alarm.name, alarm.first]] : []));
      expect(named.sort()).toEqual(first.sort());
    },
  );

  test('reads in a composite alarm whether data is safe: it is at risk only where Firehose would give up', () => {
    const [warning, critical] = notified({}).sort();
    expect(warning).toContain(' No data is lost. ');
    expect(critical).toContain(
      ' No data is lost, except with delivery-late or delivery-failing after 24 hours or the retry duration of Firehose, or if the delivery stream was deleted. ',
    );
  });

  test.each([
    ['as they are', undefined],
    ['with every alarm changed and critical', 'critical'],
    ['with every alarm changed and a warning', 'warning'],
  ])('can read it all: CloudWatch takes 1,024 characters of the longest names and addresses, %s', (_, severity) => {
    const override = { severity, threshold: 0.123456789 };
    const longest = {
      name: 'a'.repeat(32),
      runbookUrl: `https://wiki.example/${'r'.repeat(256)}`.slice(0, 256),
      ...(severity && { alarms: Object.fromEntries(ALARMS.map(({ name }) => [name, override])) }),
    };
    const endpoint = { destination: { type: 'http', url: 'https://siem.example' } };
    const texts = [{}, endpoint].flatMap(kind => {
      const template = synthesize({ ...longest, ...kind });
      return ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap(type =>
        resources(template, type).map(({ Properties }) => Properties['AlarmDescription'] as string),
      );
    });
    expect(texts.filter(text => text.includes(longest.runbookUrl))).toHaveLength(texts.length);
    expect(Math.max(...texts.map(text => text.length))).toBeLessThanOrEqual(1024);
    expect(() => configured({ runbookUrl: `${longest.runbookUrl}x` })).toThrow(/runbookUrl: must have 256 characters/);
  });

  test.each<[string, boolean, object]>([
    ['an e-mail address hears of alarms', true, { alarmEmail: 'on-call@acme.example' }],
    ['a topic that exists already hears of alarms', true, { alarmTopicArn: VARIANTS.existingParts.alarmTopicArn }],
    ['the runbook has a URL', false, VARIANTS.everyOption],
    ['nobody hears of alarms', false, {}],
  ])('makes synth warn of a runbook that no notification can open, where %s: %s', (_, warned, options) => {
    const stack = new ConnectorStack(createApp(), configured({ ...options }));
    const warnings = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('runbookUrl'));
    expect(warnings).toHaveLength(warned ? 1 : 0);
  });

  test('hears of the end of an alarm too, through the topic of the stack', () => {
    const topic = [{ Ref: expect.stringMatching(/^ConnectorAlarmTopic/) }];
    const notifiers = resources(synthesize(), 'AWS::CloudWatch::CompositeAlarm').map(({ Properties }) => Properties);
    expect(notifiers.map(({ AlarmName }) => AlarmName).sort()).toEqual(['acme/critical', 'acme/warning']);
    expect(notifiers).toEqual(notifiers.map(() => expect.objectContaining({ AlarmActions: topic, OKActions: topic })));
  });

  test('is notified through an existing topic', () => {
    const [composite] = resources(synthesize(VARIANTS.existingParts), 'AWS::CloudWatch::CompositeAlarm');
    expect(composite!.Properties['AlarmActions']).toEqual([VARIANTS.existingParts.alarmTopicArn]);
  });

  test('is notified at all: the topic’s own policy lets CloudWatch publish, for this connector’s alarms', () => {
    const policies = Object.entries(synthesize().Resources).filter(([, { Type }]) => Type === 'AWS::SNS::TopicPolicy');
    const text = JSON.stringify(policies.find(([id]) => id.startsWith('ConnectorAlarmTopic')));
    expect(text).toContain('"Service":"cloudwatch.amazonaws.com"');
    expect(text).toMatch(/:alarm:acme\/\*/);
  });

  test('is subscribed by the e-mail address of the configuration', () => {
    const subscriptions = resources(synthesize(VARIANTS.everyOption), 'AWS::SNS::Subscription');
    const emails = subscriptions.filter(({ Properties }) => Properties['Protocol'] === 'email');
    expect(emails.map(({ Properties }) => Properties['Endpoint'])).toEqual(['on-call@acme.example']);
  });
});
