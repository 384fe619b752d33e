import { LOGICAL_IDS, resolveText, resourcesOf, type Template } from '../deployment/template.ts';
import type { AlarmDefinition, ComparisonName } from './evaluate-alarm.ts';
import { type SeriesName, type Statistic, seriesKey } from './time-series.ts';

interface MetricProperties {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface MetricQuery {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: { readonly Metric: MetricProperties; readonly Period: number; readonly Stat: Statistic };
}

interface AlarmProperties extends MetricProperties {
  readonly AlarmName: string;
  readonly Statistic: Statistic;
  readonly Period: number;
  readonly EvaluationPeriods: number;
  readonly Threshold: number;
  readonly ComparisonOperator: ComparisonName;
  readonly TreatMissingData: AlarmDefinition['missing'];
  readonly Metrics?: readonly MetricQuery[];
}

/** Every metric alarm of a template. */
export function alarmDefinitions(template: Template): AlarmDefinition[] {
  return alarmsOf(template).map(([, properties]) => {
    const { metric, statistic, period, fill } = monitored(properties);
    return {
      name: shortAlarmName(properties.AlarmName),
      series: seriesKey(nameOf(metric)),
      statistic,
      periodMinutes: period / 60,
      evaluationPeriods: properties.EvaluationPeriods,
      threshold: properties.Threshold,
      comparison: properties.ComparisonOperator,
      missing: properties.TreatMissingData,
      fill,
    };
  });
}

/** Names of the alarms that raise each composite alarm, by the name of the composite alarm. */
export function compositeAlarmMembers(template: Template): Map<string, string[]> {
  const names = new Map(alarmsOf(template).map(([id, { AlarmName }]) => [id, shortAlarmName(AlarmName)]));
  const composites = resourcesOf(template, 'AWS::CloudWatch::CompositeAlarm');
  return new Map(
    composites.map(([, { Properties: { AlarmName: name, AlarmRule: rule } = {} }]) => {
      const members = resolveText(rule, LOGICAL_IDS).matchAll(/ALARM\("?([^"()]+)"?\)/g);
      return [shortAlarmName(String(name)), [...members].map(([, id = '']) => names.get(id)!)];
    }),
  );
}

export function alarmSeries(template: Template): SeriesName[] {
  return alarmsOf(template).map(([, properties]) => nameOf(monitored(properties).metric));
}

/**
 * The metric of an alarm: the metric by itself, or the metric in `FILL(metric, number)`. Any other
 * expression is an error, because it is not simulated.
 */
function monitored(properties: AlarmProperties) {
  const { Metrics: queries, Statistic: statistic, Period: period } = properties;
  if (!queries) return { metric: properties, statistic, period, fill: undefined };
  const source = queries.find(query => query.MetricStat);
  const expression = queries.find(query => query.Expression)?.Expression ?? '';
  const fill = new RegExp(`^FILL\\(${source?.Id}, (-?\\d+)\\)$`).exec(expression)?.[1];
  if (queries.length !== 2 || !source?.MetricStat || fill === undefined) {
    throw new Error(`${properties.AlarmName} watches an expression that is not understood: ${expression}`);
  }
  const { Metric: metric, Stat: stat, Period: of } = source.MetricStat;
  return { metric, statistic: stat, period: of, fill: Number(fill) };
}

function nameOf({ Namespace: namespace, MetricName: metric, Dimensions: dimensions }: MetricProperties): SeriesName {
  const pairs = dimensions.map(({ Name, Value }) => [Name, resolveText(Value, LOGICAL_IDS)]);
  return { namespace, metric, dimensions: Object.fromEntries(pairs) };
}

function alarmsOf(template: Template): [string, AlarmProperties][] {
  return resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties: properties }]) => [
    id,
    properties as unknown as AlarmProperties,
  ]);
}

/** The name of an alarm without the connector's name. */
export function shortAlarmName(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
