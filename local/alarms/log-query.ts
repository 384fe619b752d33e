/** The result of a log widget's query over the figures of the function's log lines, as CloudWatch Logs Insights computes it. */
import { type Statistic, seriesKey, statisticOf, type TimeSeries } from './time-series.ts';

export interface LogTable {
  readonly columns: readonly string[];
  /** A string in the first column, numbers in the others. Null where no line has a number. */
  readonly rows: readonly { readonly group: string; readonly values: readonly (number | null)[] }[];
}

/** Figures of the log lines, by minute. */
export interface LoggedFigures {
  readonly figures: TimeSeries;
  readonly namespace: string;
  /** Sets of dimensions that lines have. */
  readonly dimensions: readonly Readonly<Record<string, string>>[];
}

/** Minutes; `to` is not part of it. */
export interface LogSpan {
  readonly from: number;
  readonly to: number;
  /** Milliseconds since 1970 of minute 0. */
  readonly origin: number;
}

interface Query {
  /** Only lines with this member count. */
  readonly present: string;
  readonly columns: readonly { readonly title: string; readonly statistic: Statistic; readonly figure: string }[];
  /** A member that is a dimension, or hours. */
  readonly group: string;
}

const STATISTICS: Readonly<Record<string, Statistic>> = { sum: 'Sum', max: 'Maximum', min: 'Minimum', avg: 'Average' };
const HOURLY = 'bin(1h)';
const MINUTES_OF_HOUR = 60;

/** @throws Error for a query with other commands than `filter ispresent(…)` and `stats … by …` */
export function logTable(query: string, logged: LoggedFigures, span: LogSpan): LogTable {
  const { present, columns, group } = parse(query);
  const { figures, namespace, dimensions } = logged;
  const key = (metric: string, of: Readonly<Record<string, string>>) =>
    seriesKey({ namespace, metric, dimensions: of });
  const counted = dimensions.filter(of => figures.between(key(present, of), span.from, span.to).length > 0);
  const row = (name: string, of: readonly Readonly<Record<string, string>>[], from: number, to: number) => ({
    group: name,
    values: columns.map(({ statistic, figure }) => {
      const values = of.flatMap(each => figures.between(key(figure, each), from, to));
      return statisticOf(statistic, values) ?? null;
    }),
  });
  const rows =
    group === HOURLY
      ? hoursOf(span).map(({ from, to, name }) => row(name, counted, from, to))
      : counted.flatMap(of => (of[group] === undefined ? [] : [row(of[group], [of], span.from, span.to)]));
  return {
    columns: [group, ...columns.map(({ title }) => title)],
    rows: rows.filter(({ values }) => values.some(value => value !== null)),
  };
}

/** The hours of the clock that the span touches, newest first. */
function hoursOf({ from, to, origin }: LogSpan): { from: number; to: number; name: string }[] {
  const hour = MINUTES_OF_HOUR * 60_000;
  const hours = [];
  for (let time = Math.floor((origin + from * 60_000) / hour) * hour; time < origin + to * 60_000; time += hour) {
    const first = (time - origin) / 60_000;
    const name = new Date(time).toISOString().slice(0, 16).replace('T', ' ');
    hours.unshift({ from: Math.max(from, first), to: Math.min(to, first + MINUTES_OF_HOUR), name });
  }
  return hours;
}

function parse(query: string): Query {
  const verbs = query
    .split(/\n?\|\s*|\n/)
    .map(verb => verb.trim())
    .filter(verb => verb !== '' && !verb.startsWith('SOURCE '));
  const [filter = '', stats = '', ...more] = verbs;
  const present = /^filter ispresent\((\w+)\)$/.exec(filter)?.[1];
  const [, list, group] = /^stats (.+) by (stream|bin\(1h\))$/.exec(stats) ?? [];
  if (present === undefined || list === undefined || group === undefined || more.length > 0) throw unknown(query);
  const columns = list.split(', ').map(column => {
    const [, verb = '', figure, alias] = /^(\w+)\((\w+)\)(?: as (\w+))?$/.exec(column) ?? [];
    const statistic = STATISTICS[verb];
    if (figure === undefined || !statistic) throw unknown(query);
    return { title: alias ?? `${verb}(${figure})`, statistic, figure };
  });
  return { present, columns, group };
}

function unknown(query: string): Error {
  return new Error(`The dashboard has a query that is not understood: ${query}`);
}
