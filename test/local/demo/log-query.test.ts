import { describe, expect, test } from '@jest/globals';
import { METRIC_NAMESPACE } from '../../../lambda/metric-names.ts';
import { dashboardWidgets } from '../../../local/alarms/dashboard.ts';
import { type LoggedFigures, logTable } from '../../../local/alarms/log-query.ts';
import { TimeSeries } from '../../../local/alarms/time-series.ts';
import { demoStack } from '../../../local/demo/demo.ts';

const CONNECTOR = { service: 'acme' };
const ASSETS = { ...CONNECTOR, stream: 'assets' };
const THREATS = { ...CONNECTOR, stream: 'threats' };
const ORIGIN = Date.UTC(2026, 10, 22, 10, 30);
const SPAN = { from: 0, to: 60, origin: ORIGIN };

function logged(
  ...lines: [minute: number, of: Record<string, string>, figures: Record<string, number>][]
): LoggedFigures {
  const figures = new TimeSeries();
  for (const [minute, dimensions, values] of lines)
    figures.addFigures([{ namespace: METRIC_NAMESPACE, dimensions, values: {}, figures: values }], minute);
  return { figures, namespace: METRIC_NAMESPACE, dimensions: [CONNECTOR, ASSETS, THREATS] };
}

describe('the result of a log widget’s query', () => {
  test('adds up figures by stream, over the minutes of the span only', () => {
    const lines = logged(
      [0, ASSETS, { RowsRead: 1, PagesRead: 2 }],
      [59, ASSETS, { RowsRead: 1, PagesRead: 3 }],
      [60, ASSETS, { RowsRead: 1, PagesRead: 100 }],
      [5, THREATS, { RowsRead: 0, PagesRead: 7 }],
    );
    const query = "SOURCE 'group' | filter ispresent(RowsRead)\n| stats sum(PagesRead), sum(DeadLetters) by stream";
    expect(logTable(query, lines, SPAN)).toEqual({
      columns: ['stream', 'sum(PagesRead)', 'sum(DeadLetters)'],
      rows: [
        { group: 'assets', values: [5, null] },
        { group: 'threats', values: [7, null] },
      ],
    });
  });

  test('ignores lines without the member of the filter', () => {
    const lines = logged([1, ASSETS, { PagesRead: 2 }], [1, THREATS, { RowsRead: 1, PagesRead: 3 }]);
    const { rows } = logTable('filter ispresent(RowsRead) | stats sum(PagesRead) by stream', lines, SPAN);
    expect(rows).toEqual([{ group: 'threats', values: [3] }]);
  });

  test('has a row for each hour with lines, newest first', () => {
    const lines = logged(
      [29, CONNECTOR, { Memory: 10, Left: 5 }],
      [30, CONNECTOR, { Memory: 30, Left: 9 }],
      [59, CONNECTOR, { Memory: 20, Left: 8 }],
    );
    const query = 'filter ispresent(Memory) | stats max(Memory) as megabytes, min(Left) as left by bin(1h)';
    expect(logTable(query, lines, { ...SPAN, from: -120 })).toEqual({
      columns: ['bin(1h)', 'megabytes', 'left'],
      rows: [
        { group: '2026-11-22 11:00', values: [30, 8] },
        { group: '2026-11-22 10:00', values: [10, 5] },
      ],
    });
  });

  test.each([
    'fields @message',
    'filter a = 1 | stats sum(b) by stream',
    'filter ispresent(a) | stats pct(b, 9) by stream',
  ])('%j is not understood, and refused', query => {
    expect(() => logTable(query, logged(), SPAN)).toThrow('The dashboard has a query that is not understood');
  });

  test('supports every query of the template', async () => {
    const { template } = await demoStack('https://git.example/runbook.md');
    const queries = dashboardWidgets(template).flatMap(each => (each.type === 'log' ? [each.query] : []));
    expect(queries.length).toBeGreaterThan(1);
    for (const query of queries) expect(logTable(query, logged(), SPAN).columns.length).toBeGreaterThan(1);
  });
});
