import { describe, expect, test } from '@jest/globals';
import {
  CONNECTOR_METRICS,
  CONNECTOR_PROPERTIES,
  METRIC_NAMESPACE,
  STREAM_METRICS,
  STREAM_PROPERTIES,
} from '../../../lambda/metric-names.ts';
import { logFields } from '../../docs/log-fields.ts';
import { synthesize } from '../synth.ts';
import { only, resources } from '../template.ts';
import { VARIANTS } from '../variants.ts';

interface Widget {
  readonly type: string;
  readonly properties: {
    readonly markdown?: string;
    readonly query?: string;
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
  test('is read from the top: up to date, flow, faults, cost', () => {
    const headings = widgets().flatMap(({ properties }) => properties.markdown ?? []);
    expect(headings).toEqual(['## Is the SIEM up to date?', '## Throughput', '## Failures', '## Cost']);
  });

  test('draws every metric that the function emits', () => {
    const names = new Set(drawn().map(([, name]) => name));
    expect(
      [...Object.keys(STREAM_METRICS), ...Object.keys(CONNECTOR_METRICS)].filter(name => !names.has(name)),
    ).toEqual([]);
  });

  test('shows every property of the log lines by queries, which are billed only when somebody looks', () => {
    const queries = widgets().flatMap(({ type, properties }) => (type === 'log' ? [properties.query!] : []));
    expect(queries).toHaveLength(3);
    const shown = new Set(queries.join(' ').match(/\w+/g));
    const names = Object.keys({ ...STREAM_PROPERTIES, ...CONNECTOR_PROPERTIES });
    expect(names.filter(name => !shown.has(name))).toEqual([]);
  });

  test('asks the log for fields that the function writes', async () => {
    const queries = widgets().flatMap(({ type, properties }) => (type === 'log' ? [properties.query!] : []));
    const asked = queries.flatMap(query =>
      [...query.matchAll(/(?:ispresent|sum|min|max)\((\w+)\)|by (\w+)\b(?!\()/g)].map(([, of, by]) => (of ?? by)!),
    );
    const known = await logFields();
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter(field => !known.has(field))).toEqual([]);
  });

  test('is there only where the option wants it, because it costs more than all alarms', () => {
    const without = synthesize();
    expect(resources(without, 'AWS::CloudWatch::Dashboard')).toEqual([]);
    expect(Object.keys(without.Outputs)).not.toContain('DashboardName');
    expect(Object.keys(synthesize({ dashboard: true }).Outputs)).toContain('DashboardName');
  });

  test('draws them with the dimensions that they are emitted with', () => {
    const own = drawn().filter(([namespace]) => namespace === METRIC_NAMESPACE);
    const wrong = own.filter(([, name, service, connector, stream]) => {
      const emitted = stream === undefined ? CONNECTOR_METRICS : STREAM_METRICS;
      return service !== 'service' || connector !== 'acme' || !(name! in emitted);
    });
    expect(own.length).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });

  test('follows the kind of destination', () => {
    expect(drawn(VARIANTS.splunk).map(([, name]) => name)).toContain('DeliveryToSplunk.DataFreshness');
    expect(drawn(VARIANTS.splunk).filter(([namespace]) => namespace === 'AWS/SQS')).toEqual([]);
  });

  test('estimates the cost of function, table and delivery', () => {
    const cost = widgets()
      .at(-1)!
      .properties.metrics!.map(row => JSON.stringify(row));
    expect(cost.filter(row => row.includes('"expression"'))).toHaveLength(3);
    expect(cost.join()).toContain('ConsumedWriteCapacityUnits');
  });
});
