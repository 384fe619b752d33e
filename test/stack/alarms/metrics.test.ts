import { describe, expect, test } from '@jest/globals';
import { METRIC_NAMESPACE } from '../../../lambda/metrics.ts';
import { alarmSeries } from '../../../local/alarms/alarm-definitions.ts';
import { RecordedMetrics, type SeriesName, seriesKey } from '../../../local/alarms/time-series.ts';
import { Scene } from '../../../local/incidents/scene.ts';
import { createSceneClock } from '../../../local/incidents/scene-clock.ts';
import { templateWith } from '../shared-template.ts';
import type { SynthesizedTemplate } from '../template.ts';
import { dashboardSeries } from './support/dashboard-series.ts';
import { CONFIGURATION } from './support/drill.ts';
import { SERVICE_METRICS } from './support/service-metrics.ts';

const OWNERS: Readonly<Record<string, string>> = {
  'AWS/Lambda': 'AWS::Lambda::Function',
  'AWS/DynamoDB': 'AWS::DynamoDB::Table',
  'AWS/Firehose': 'AWS::KinesisFirehose::DeliveryStream',
  'AWS/SQS': 'AWS::SQS::Queue',
};

interface Written {
  readonly metrics: ReadonlySet<string>;
  /**
   * Metrics and properties alike: a metric that is zero is a property of the line that sends it
   * otherwise.
   */
  readonly members: ReadonlySet<string>;
}

/** Series that a run of the function writes to stdout. */
async function writtenBy(template: SynthesizedTemplate): Promise<Written> {
  await using scene = await Scene.open({ template });
  scene.simulator.populate({ assets: 5, threats: 5, dnsBlocks: 5 });
  const emitted = await scene.run();
  const metrics = new RecordedMetrics();
  metrics.addEmf(emitted, 0);
  const members = emitted.flatMap(({ namespace, dimensions, figures }) =>
    Object.keys(figures).map(metric => seriesKey({ namespace, metric, dimensions })),
  );
  return { metrics: metrics.keys, members: new Set(members) };
}

/** What is wrong with a series of a service: nobody reports it, or not about that. */
function serviceProblem(
  { namespace, metric, dimensions }: SeriesName,
  template: SynthesizedTemplate,
): string | undefined {
  const known = SERVICE_METRICS[namespace];
  if (!known?.metrics.includes(metric)) return `${namespace} reports no ${metric}`;
  const [[dimension, id] = [], ...rest] = Object.entries(dimensions);
  if (dimension !== known.dimension || rest.length > 0)
    return `${metric} is not reported by ${Object.keys(dimensions)}`;
  const type = template.Resources[id ?? '']?.Type;
  return type === OWNERS[namespace] ? undefined : `${metric} is about ${id}, which is ${type}`;
}

const CONFIGURATIONS: readonly (readonly [string, object])[] = [
  ['every stream', { ...CONFIGURATION, dashboard: true }],
  ['DNS blocks off', { dashboard: true }],
  [
    'an HTTP endpoint',
    { ...CONFIGURATION, dashboard: true, destination: { type: 'http', url: 'https://siem.example/events' } },
  ],
];
const TEMPLATES = await Promise.all(
  CONFIGURATIONS.map(async ([what, each]) => [what, await templateWith({ ...each })] as const),
);

describe.each(TEMPLATES)('the metrics with %s', (_, template) => {
  const monitored = [...alarmSeries(template), ...dashboardSeries(template)];

  test('the function emits every metric of its own that an alarm or the dashboard shows', async () => {
    const own = monitored.filter(({ namespace }) => namespace === METRIC_NAMESPACE).map(seriesKey);
    const { members } = await writtenBy(template);
    expect(own.length).toBeGreaterThan(30);
    expect(own.filter(key => !members.has(key))).toEqual([]);
  });

  test('every metric outside the namespace of the connector is documented by AWS and belongs to a resource', () => {
    const others = monitored.filter(({ namespace }) => namespace !== METRIC_NAMESPACE);
    expect(others.length).toBeGreaterThan(10);
    expect(others.flatMap(series => serviceProblem(series, template) ?? [])).toEqual([]);
  });
});

test('every metric that the function emits is used by an alarm or the dashboard', async () => {
  const template = await templateWith({ ...CONFIGURATION, dashboard: true });
  const monitored = new Set([...alarmSeries(template), ...dashboardSeries(template)].map(seriesKey));
  const { metrics } = await writtenBy(template);
  expect([...metrics].filter(key => !monitored.has(key))).toEqual([]);
});

test('the minutes of a scene begin with the minutes of CloudWatch, at whatever second the scene starts', async () => {
  const clock = createSceneClock(Date.parse('2026-11-20T12:00:30.500Z'));
  await using scene = await Scene.open({ template: await templateWith(CONFIGURATION), clock });
  await scene.nextMinute();
  expect(clock.now() % 60_000).toBe(0);
  expect(scene.minute).toBe(1);
});
