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

export type Widget = Place &
  (
    | { readonly type: 'text'; readonly markdown: string }
    | { readonly type: 'alarm'; readonly title: string /** Short names. */; readonly alarms: readonly string[] }
    | {
        readonly type: 'log';
        readonly title: string /** In the language of CloudWatch Logs Insights. */;
        readonly query: string;
      }
    | { readonly type: 'metric'; readonly title: string; readonly stacked: boolean; readonly lines: readonly Line[] }
  );

/** A metric, or an expression over the metrics of its widget. */
export interface Line {
  readonly label: string;
  readonly id: string | undefined;
  readonly isVisible: boolean;
  readonly periodMinutes: number;
  readonly source: { readonly series: SeriesName; readonly statistic: Statistic } | { readonly expression: string };
}

interface Options {
  readonly id?: string;
  readonly label?: string;
  readonly stat?: Statistic;
  readonly period?: number;
  readonly visible?: boolean;
  readonly expression?: string;
}

interface WidgetJson extends Place {
  readonly type: string;
  readonly properties: {
    readonly markdown?: string;
    readonly title?: string;
    readonly query?: string;
    readonly stacked?: boolean;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly (readonly (string | Options)[])[];
  };
}

/** The widgets in the order of the template. @throws Error for a type that is not known here */
export function dashboardWidgets(template: Template): Widget[] {
  const [, { Properties: { DashboardBody: body } = {} }] = onlyResource(template, 'AWS::CloudWatch::Dashboard');
  const { widgets } = JSON.parse(resolveText(body, LOGICAL_IDS)) as { widgets: readonly WidgetJson[] };
  return widgets.map(({ type, x, y, width, height, properties }): Widget => {
    const place = { x, y, width, height };
    const { title = '', markdown = '', query = '', stacked = false, alarms = [], metrics = [] } = properties;
    if (type === 'text') return { ...place, type, markdown };
    if (type === 'log') return { ...place, type, title, query };
    if (type === 'alarm') return { ...place, type, title, alarms: alarms.map(each => alarmName(template, each)) };
    if (type === 'metric') return { ...place, type, title, stacked, lines: metrics.map(lineOf) };
    throw new Error(`The dashboard has a widget of the type ${type}.`);
  });
}

/** From its logical id, which a reference was replaced with. */
function alarmName(template: Template, id: string): string {
  return shortName(String(template.Resources[id]?.Properties?.['AlarmName'] ?? id));
}

const DEFAULT_PERIOD_SECONDS = 300;

function lineOf(row: readonly (string | Options)[]): Line {
  const names = row.filter(cell => typeof cell === 'string');
  const given = row.find(cell => typeof cell === 'object') ?? {};
  const { id, label = names[1] ?? '', stat = 'Average', period = DEFAULT_PERIOD_SECONDS, visible = true } = given;
  const { expression } = given;
  const source = expression === undefined ? { series: seriesOf(names), statistic: stat } : { expression };
  return { label, id, isVisible: visible, periodMinutes: period / 60, source };
}

function seriesOf([namespace = '', metric = '', ...pairs]: readonly string[]): SeriesName {
  const dimensions: Record<string, string> = {};
  for (let at = 0; at < pairs.length; at += 2) dimensions[pairs[at]!] = pairs[at + 1]!;
  return { namespace, metric, dimensions };
}

/** Every metric that the dashboard draws. */
export function dashboardSeries(template: Template): SeriesName[] {
  const lines = dashboardWidgets(template).flatMap(widget => (widget.type === 'metric' ? widget.lines : []));
  return lines.flatMap(({ source }) => ('series' in source ? [source.series] : []));
}

/** Values by period, oldest first. Null for periods without data. */
export type Points = readonly (number | null)[];

export interface Span {
  /** Minutes; `to` is not part of it. */
  readonly from: number;
  readonly to: number;
}

/** Points of each visible line of a widget. Periods begin at multiples of their length. */
export function pointsOf(lines: readonly Line[], metrics: TimeSeries, span: Span): Points[] {
  return lines.filter(({ isVisible }) => isVisible).map(line => linePoints(line, lines, metrics, span));
}

function linePoints({ source, periodMinutes }: Line, lines: readonly Line[], metrics: TimeSeries, span: Span): Points {
  if ('series' in source) return metricPoints(source, periodMinutes, metrics, span);
  const terms = termsOf(source.expression).map(({ id, factor }) => {
    const line = lines.find(each => each.id === id);
    if (!line || !('series' in line.source)) throw new Error(`No metric of the widget has the id ${id}.`);
    const points = metricPoints(line.source, periodMinutes, metrics, span);
    return points.map(point => (point ?? 0) * factor);
  });
  return Array.from({ length: terms[0]?.length ?? 0 }, (_, at) => terms.reduce((sum, term) => sum + term[at]!, 0));
}

/** `FILL(duration, 0) * 0.5 + FILL(runs, 0) * 2`: no other expression is understood. */
export function termsOf(expression: string): { readonly id: string; readonly factor: number }[] {
  return expression.split(' + ').map(term => {
    const [, id, factor] = /^FILL\((\w+), 0\) \* ([\d.]+)$/.exec(term) ?? [];
    if (id === undefined) throw new Error(`The dashboard has an expression that is not understood: ${expression}`);
    return { id, factor: Number(factor) };
  });
}

function metricPoints(
  { series, statistic }: { readonly series: SeriesName; readonly statistic: Statistic },
  periodMinutes: number,
  metrics: TimeSeries,
  { from, to }: Span,
): Points {
  const first = Math.floor(from / periodMinutes);
  const count = Math.ceil(to / periodMinutes) - first;
  return metrics.statistics(seriesKey(series), statistic, { first, count, periodMinutes });
}
