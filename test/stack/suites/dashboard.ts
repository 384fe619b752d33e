import { describe, expect, test } from '@jest/globals';
import { CONNECTOR_METRICS, STREAM_METRICS } from '../../../lambda/metrics.ts';
import { synthesize } from '../synth.ts';
import { only, resources } from '../template.ts';
import { VARIANTS } from '../variants.ts';

interface Widget {
  readonly type: string;
  readonly properties: {
    readonly metrics?: readonly (readonly unknown[])[];
  };
}

/** The dashboard's widgets. A value that is known only at deployment is written as `<…>`. */
function widgets(options: object = {}): Widget[] {
  const { DashboardBody } = only(synthesize({ dashboard: true, ...options }), 'AWS::CloudWatch::Dashboard') as {
    DashboardBody: { 'Fn::Join': [string, unknown[]] };
  };
  const parts = DashboardBody['Fn::Join'][1].map(part => (typeof part === 'string' ? part : '<known at deployment>'));
  return JSON.parse(parts.join('')).widgets;
}

/** Rows of metrics as the dashboard has them: namespace, name, then dimensions. */
function drawn(options: object = {}): string[][] {
  return widgets(options)
    .flatMap(({ properties }) => properties.metrics ?? [])
    .map(row => row.filter((part): part is string => typeof part === 'string'));
}

describe('the dashboard', () => {
  test('the dashboard draws every metric that the function sends, below the state of the composite alarms', () => {
    const names = new Set(drawn().map(([, name]) => name));
    const sent = [...Object.keys(STREAM_METRICS), ...Object.keys(CONNECTOR_METRICS)];
    expect(sent.filter(name => !names.has(name))).toEqual([]);
    expect(widgets()[0]!.type).toBe('alarm');
  });

  test('the dashboard exists only where the option wants it, because it costs more than all alarms', () => {
    expect(resources(synthesize(), 'AWS::CloudWatch::Dashboard')).toEqual([]);
    expect(Object.keys(synthesize({ dashboard: true }).Outputs)).toContain('DashboardName');
  });

  test('the dashboard follows the kind of destination', () => {
    expect(drawn(VARIANTS.splunk).map(([, name]) => name)).toContain('DeliveryToSplunk.DataFreshness');
    expect(drawn(VARIANTS.splunk).filter(([namespace]) => namespace === 'AWS/SQS')).toEqual([]);
  });
});
