/** The dashboard of a template: its widgets as CloudWatch reads them, and the points that they draw. */
import { LOGICAL_IDS, onlyResource, resolveText, type Template } from '../deployment/template.ts';
import { shortName } from './alarm-definitions.ts';
import { type SeriesName, type Statistic, seriesKey, type TimeSeries } from './time-series.ts';

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type Widget = Place & { readonly title: string } & (
    | { readonly type: 'alarm'; readonly alarms: readonly string[] /** Short names. */ }
    | { readonly type: 'metric'; readonly lines: readonly Line[] }
  );

/** A metric of a graph. */
export interface Line {
  readonly label: string;
  readonly periodMinutes: number;
  readonly series: SeriesName;
  readonly statistic: Statistic;
}

interface Options {
  readonly label?: string;
  readonly stat?: Statistic;
  readonly period?: number;
}

interface WidgetJson extends Place {
  readonly type: string;
  readonly properties: {
    readonly title?: string;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly (readonly (string | Options)[])[];
  };
}

/** The widgets in the order of the template. @throws Error for a type that is not known here */
export function dashboardWidgets(template: Template): Widget[] {
  const [, { Properties: { DashboardBody: body } = {} }] = onlyResource(template, 'AWS::CloudWatch::Dashboard');
  const { widgets } = JSON.parse(resolveText(body, LOGICAL_IDS)) as { widgets: readonly WidgetJson[] };
  return widgets.map(({ type, x, y, width, height, properties }): Widget => {
    const { title = '', alarms = [], metrics = [] } = properties;
    const widget = { x, y, width, height, title };
    if (type === 'alarm') return { ...widget, type, alarms: alarms.map(id => alarmName(template, id)) };
    if (type === 'metric') return { ...widget, type, lines: metrics.map(lineOf) };
    throw new Error(`The dashboard has a widget of the type ${type}.`);
  });
}

/** From its logical id, which a reference was replaced with. */
function alarmName(template: Template, id: string): string {
  return shortName(String(template.Resources[id]?.Properties?.['AlarmName'] ?? id));
}

const DEFAULT_PERIOD_SECONDS = 300;

/** @throws Error for a line that is not a metric, for example an expression */
function lineOf(row: readonly (string | Options)[]): Line {
  const [namespace, metric, ...pairs] = row.filter(cell => typeof cell === 'string');
  if (namespace === undefined || metric === undefined) {
    throw new Error(`The dashboard has a line that is not understood: ${JSON.stringify(row)}`);
  }

  const options = row.find(cell => typeof cell === 'object') ?? {};
  const { label = metric, stat: statistic = 'Average', period = DEFAULT_PERIOD_SECONDS } = options;
  const dimensions: Record<string, string> = {};
  for (let index = 0; index < pairs.length; index += 2) dimensions[pairs[index]!] = pairs[index + 1]!;
  return { label, periodMinutes: period / 60, series: { namespace, metric, dimensions }, statistic };
}

/** Every metric that the dashboard draws. */
export function dashboardSeries(template: Template): SeriesName[] {
  return dashboardWidgets(template).flatMap(widget =>
    widget.type === 'metric' ? widget.lines.map(({ series }) => series) : [],
  );
}

/** Values by period, oldest first. Null for periods without data. */
export type Points = readonly (number | null)[];

export interface Span {
  /** Minutes; `to` is not part of it. */
  readonly from: number;
  readonly to: number;
}

/** Points of a line. Periods begin at multiples of their length. */
export function pointsOf({ series, statistic, periodMinutes }: Line, metrics: TimeSeries, { from, to }: Span): Points {
  const first = Math.floor(from / periodMinutes);
  const count = Math.ceil(to / periodMinutes) - first;
  return metrics.statistics(seriesKey(series), statistic, { first, count, periodMinutes });
}
