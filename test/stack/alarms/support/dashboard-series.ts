import type { SeriesName } from '../../../../local/alarms/time-series.ts';
import { LOGICAL_IDS, onlyResource, resolveText, type Template } from '../../../../local/deployment/template.ts';

interface Widget {
  readonly properties: { readonly metrics?: readonly (readonly unknown[])[] };
}

/** Every metric that the dashboard of a template draws. */
export function dashboardSeries(template: Template): SeriesName[] {
  const [, { Properties: { DashboardBody: body } = {} }] = onlyResource(template, 'AWS::CloudWatch::Dashboard');
  const { widgets } = JSON.parse(resolveText(body, LOGICAL_IDS)) as { widgets: readonly Widget[] };
  return widgets.flatMap(({ properties: { metrics = [] } }) => metrics.map(seriesOf));
}

/** The series of a line, whose options may follow as an object. */
function seriesOf(line: readonly unknown[]): SeriesName {
  const [namespace = '', metric = '', ...pairs] = line.filter(cell => typeof cell === 'string');
  const dimensions: Record<string, string> = {};
  for (let index = 0; index < pairs.length; index += 2) dimensions[pairs[index]!] = pairs[index + 1]!;
  return { namespace, metric, dimensions };
}
