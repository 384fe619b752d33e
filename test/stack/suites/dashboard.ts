import { describe, expect, test } from '@jest/globals';
import { CONNECTOR_METRICS, STREAM_METRICS } from '../../../lambda/metrics.ts';
import { dashboardSeries } from '../alarms/support/dashboard-series.ts';
import { synthesize } from '../synth.ts';
import { only, resources } from '../template.ts';
import { VARIANTS } from '../variants.ts';

function drawn(options: object = {}) {
  return dashboardSeries(synthesize({ dashboard: true, ...options }));
}

describe('the dashboard', () => {
  test('the dashboard shows every metric that the function sends, below the composite alarms', () => {
    const names = new Set(drawn().map(({ metric }) => metric));
    const sent = [...Object.keys(STREAM_METRICS), ...Object.keys(CONNECTOR_METRICS)];
    expect(sent.filter(name => !names.has(name))).toEqual([]);
    const { DashboardBody: body } = only(synthesize({ dashboard: true }), 'AWS::CloudWatch::Dashboard');
    expect(/"type\\?":\\?"(\w+)/.exec(JSON.stringify(body))![1]).toBe('alarm');
  });

  test('the dashboard is created only if the option dashboard is set, because it costs more than all alarms', () => {
    expect(resources(synthesize(), 'AWS::CloudWatch::Dashboard')).toEqual([]);
    expect(Object.keys(synthesize({ dashboard: true }).Outputs)).toContain('DashboardName');
  });

  test('the dashboard depends on the kind of destination', () => {
    expect(drawn(VARIANTS.splunk).map(({ metric }) => metric)).toContain('DeliveryToSplunk.DataFreshness');
    expect(drawn(VARIANTS.splunk).filter(({ namespace }) => namespace === 'AWS/SQS')).toEqual([]);
  });
});
