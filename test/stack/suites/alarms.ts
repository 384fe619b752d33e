import { describe, expect, test } from '@jest/globals';
import { METRIC_NAMESPACE, METRICS_SENT_WHEN_ZERO } from '../../../lambda/metrics.ts';
import { ALARMS } from '../../../lib/alarms/alarms.ts';
import { ConnectorStack } from '../../../lib/connector-stack.ts';
import { alarmDefinitions, alarmSeries, compositeAlarmMembers } from '../../../local/alarms/alarm-definitions.ts';
import { configured, createApp, synthesize } from '../synth.ts';
import { propertiesOf } from '../template.ts';
import { VARIANT_NAMES, VARIANTS } from '../variants.ts';
import { warningsOf } from './construct.ts';

/**
 * Returns each alarm by its name: its metric, how CloudWatch evaluates it, and the text that people
 * read.
 */
function alarms(options: object = {}) {
  const template = synthesize({ ...options });
  const series = alarmSeries(template);
  const texts = propertiesOf(template, 'AWS::CloudWatch::Alarm').map(alarm => alarm['AlarmDescription']);
  const all = alarmDefinitions(template).map((alarm, at) => ({ ...alarm, ...series[at]!, text: String(texts[at]) }));
  return new Map(all.map(alarm => [alarm.name, alarm]));
}

function names(options: object = {}): string[] {
  return [...alarms(options).keys()];
}

describe.each(VARIANT_NAMES)('the alarms of the variant %s', variant => {
  const all = alarms(VARIANTS[variant]);
  const template = synthesize(VARIANTS[variant]);

  test('each alarm describes its effect and the first command, and links to the runbook', () => {
    const { runbookUrl = 'docs/runbook.md' } = VARIANTS[variant] as { readonly runbookUrl?: string };
    for (const { name: nameWithReader, text } of all.values()) {
      const name = nameWithReader.replace('/lake', '');
      const { first } = ALARMS.find(each => each.name === name)!;
      expect(text).toMatch(/^(Reader lake: )?[A-Z].{20,}\. [A-Z].{10,}\. First run "/);
      const command = `First run "npm run connectorctl -- ${first} --connector acme". Runbook: ${runbookUrl}#${name}`;
      expect(text.endsWith(command)).toBe(true);
    }
  });

  test('each alarm has a window that CloudWatch can evaluate', () => {
    const wrong = [...all.values()].filter(({ periodMinutes, evaluationPeriods }) => {
      const longestDays = periodMinutes >= 60 ? 7 : 1;
      return !Number.isInteger(periodMinutes) || periodMinutes * evaluationPeriods > longestDays * 24 * 60;
    });
    expect(wrong).toEqual([]);
  });

  test('each alarm is in exactly one composite alarm, whose description names the first command to run', () => {
    const members = compositeAlarmMembers(template);
    expect([...members.keys()].sort()).toEqual(['critical', 'warning']);
    expect([...members.values()].flat().sort()).toEqual([...all.keys()].sort());

    const composites = propertiesOf(template, 'AWS::CloudWatch::CompositeAlarm');
    const texts = composites.map(composite => composite['AlarmDescription']).join();
    const named = [...texts.matchAll(/([a-z-]+(?: list)?) \(([a-z, -]+)\)/g)].flatMap(([, command, names]) =>
      names!.split(', ').map(name => `${name}: ${command}`),
    );
    const first = ALARMS.filter(({ name }) => all.has(name)).map(alarm => `${alarm.name}: ${alarm.first}`);
    expect(named.sort()).toEqual(first.sort());
  });
});

describe('silence', () => {
  test('missing data of a stream fires an alarm, but missing data of an AWS service does not', () => {
    expect(alarms().get('stream-silent')!.missing).toBe('breaching');
    const all = [...alarms().values(), ...alarms(VARIANTS.splunk).values()];
    const services = all.filter(({ namespace }) => namespace.startsWith('AWS/'));
    expect(new Set(services.map(({ missing }) => missing))).toEqual(new Set(['notBreaching']));
  });

  test('a metric that is sent only when it is not zero counts as zero in minutes without data', () => {
    const own = [...alarms().values()].filter(({ namespace }) => namespace === METRIC_NAMESPACE);
    const omitted = own.filter(({ metric }) => !METRICS_SENT_WHEN_ZERO.has(metric as never));
    expect(omitted.length).toBeGreaterThan(5);
    for (const { fill, missing } of omitted) expect({ fill, missing }).toEqual({ fill: 0, missing: 'notBreaching' });
  });

  test.each([1, 5, 60])('alarms allow for the longest runs at a rate of %d minutes', rateMinutes => {
    const found = alarms({ rateMinutes });
    // CloudWatch looks back further periods before it treats a point as missing, so a period is a
    // minute.
    const silence = { periodMinutes: 1, evaluationPeriods: 2 * (15 + rateMinutes) };
    expect(found.get('stream-silent')).toMatchObject(silence);
    expect(found.get('contract-error')!.periodMinutes).toBeGreaterThanOrEqual(15 + rateMinutes);
  });
});

describe('the option alarms', () => {
  const { changedAlarms } = VARIANTS;
  const members = (severity: string, options: object = changedAlarms) =>
    compositeAlarmMembers(synthesize({ ...options })).get(severity);

  test('the option alarms changes only the threshold of an alarm and its description', () => {
    const { text, threshold, ...others } = alarms(changedAlarms).get('siem-reader-stalled')!;
    const { text: before, threshold: _, ...same } = alarms().get('siem-reader-stalled')!;
    expect(threshold).toBe(7200);
    expect(others).toEqual(same);
    expect(text).toBe(before.replace(' First run', ' The threshold of this alarm was changed to 7200. First run'));
  });

  test('the option alarms can move an alarm to the other composite alarm or leave it out', () => {
    expect(members('critical', {})).toContain('siem-reader-stalled');
    expect(members('critical')).not.toContain('siem-reader-stalled');
    expect(members('warning')).toContain('siem-reader-stalled');
    expect(names().filter(name => !names(changedAlarms).includes(name))).toEqual(['function-errors']);
  });

  test('a composite alarm without members has the rule FALSE', () => {
    const everyWarning = Object.fromEntries(ALARMS.map(({ name }) => [name, { severity: 'warning' }]));
    const template = synthesize({ alarms: everyWarning });
    expect(propertiesOf(template, 'AWS::CloudWatch::CompositeAlarm')).toContainEqual(
      expect.objectContaining({ AlarmRule: 'FALSE' }),
    );
  });
});

test('alarms cover the whole connector, so that another stream does not need an additional alarm', () => {
  expect(names({ dnsBlocksPath: '/v1/dns-blocks' })).toEqual(names());
});

test('a stream without a path does not appear in the template', () => {
  expect(JSON.stringify(synthesize({ dashboard: true }))).not.toContain('dns-blocks');
});

describe('the alarms of delivery', () => {
  test('the alarms of delivery depend on the buffer and the kind of destination', () => {
    expect(alarms(VARIANTS.buffered).get('delivery-late')).toMatchObject({ threshold: 1140 });
    expect(alarms(VARIANTS.http).get('delivery-failing')).toMatchObject({ metric: 'DeliveryToHttpEndpoint.Success' });
    const withBackup = VARIANT_NAMES.filter(name => names(VARIANTS[name]).includes('delivery-backup-used'));
    expect(withBackup).toEqual(['splunk', 'http', 'existing']);
  });

  test.each([
    ['splunk', 'DeliveryToSplunk', 'BackupToS3.Records'],
    ['opensearch', 'DeliveryToAmazonOpenSearchService', 'BackupToS3.Records'],
    ['iceberg', 'DeliveryToIceberg', 'DeliveryToIceberg.FailedRowCount'],
    ['snowflake', 'DeliveryToSnowflake', 'BackupToS3.Records'],
  ])(
    'the alarms of an existing stream to %s use the metrics of Firehose for this destination',
    (deliversTo, prefix, backup) => {
      const found = alarms({ destination: { ...VARIANTS.existing.destination, deliversTo } });
      expect(found.get('delivery-late')).toMatchObject({ metric: `${prefix}.DataFreshness` });
      expect(found.get('delivery-failing')).toMatchObject({ metric: `${prefix}.Success` });
      expect(found.get('delivery-backup-used')).toMatchObject({ metric: backup, statistic: 'Sum' });
    },
  );
});

describe('notifications', () => {
  const composites = (options: object = {}) =>
    propertiesOf(synthesize({ ...options }), 'AWS::CloudWatch::CompositeAlarm');

  test('a notification says whether data is safe and how to run the commands', () => {
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
    'an alarm description with the longest names has at most 1,024 characters (changed severity: %s)',
    severity => {
      const override = { severity, threshold: 0.123456789 };
      const runbookUrl = `https://wiki.example/${'r'.repeat(256)}`.slice(0, 256);
      const changed = severity && { alarms: Object.fromEntries(ALARMS.map(({ name }) => [name, override])) };
      const longest = { name: 'a'.repeat(32), runbookUrl, ...changed };
      const endpoint = { destination: { type: 'http', url: 'https://siem.example' } };
      const texts = [{}, endpoint].flatMap(kind => {
        const template = synthesize({ ...longest, ...kind });
        return ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap(type =>
          propertiesOf(template, type).map(alarm => String(alarm['AlarmDescription'])),
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
  ])('synth warns of a missing runbook address only if an alarm notifies somebody (%s): %j', (warned, options) => {
    const stack = new ConnectorStack(createApp(), configured({ ...options }));
    const warnings = warningsOf(stack.connector).filter(text => text.includes('runbookUrl'));
    expect(warnings).toHaveLength(warned ? 1 : 0);
  });

  test('a composite alarm notifies of its start and its end through the configured topic', () => {
    const own = [{ Ref: expect.stringMatching(/^ConnectorAlarmTopic/) }];
    expect(composites()).toEqual(
      composites().map(() => expect.objectContaining({ AlarmActions: own, OKActions: own })),
    );
    expect(composites(VARIANTS.existingParts)[0]!['AlarmActions']).toEqual([VARIANTS.existingParts.alarmTopicArn]);
  });

  test('the topic accepts only this connector’s alarms and has the configured e-mail address', () => {
    const template = synthesize(VARIANTS.everyOption);
    const [, policy] = Object.entries(template.Resources).find(([id]) => /^ConnectorAlarmTopicPolicy/.test(id))!;
    expect(JSON.stringify(policy)).toMatch(/:alarm:acme\/\*".*"Service":"cloudwatch\.amazonaws\.com"/);
    const emails = propertiesOf(template, 'AWS::SNS::Subscription').filter(each => each['Protocol'] === 'email');
    expect(emails).toMatchObject([{ Endpoint: 'on-call@acme.example' }]);
  });
});
