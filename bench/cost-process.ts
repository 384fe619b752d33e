import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { RunTimes } from './cost-function.ts';

/** The function's container: runs at a word, and what it writes is counted. */
export function startFunction(environment: Readonly<Record<string, string>>) {
  const child = fork(path.join(import.meta.dirname, 'cost-function.ts'), {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: ['--no-warnings'],
  });
  let logBytes = 0;
  const series = new Set<string>();
  let rest = '';
  const listen = (chunk: Buffer): void => {
    logBytes += chunk.length;
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines.filter(each => each.includes('"CloudWatchMetrics"'))) noteSeries(line, series);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  return {
    async run(): Promise<RunTimes> {
      child.send('run');
      const [times] = (await once(child, 'message')) as [RunTimes];
      if (times.error) throw new Error(`A run failed: ${times.error}`);
      return times;
    },
    get logBytes() {
      return logBytes;
    },
    get metrics() {
      return series.size;
    },
    end: () => void child.kill(),
  };
}

function noteSeries(line: string, series: Set<string>): void {
  const blob = JSON.parse(line) as Record<string, unknown> & {
    _aws: { CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] };
  };
  for (const { Dimensions: [names = []] = [], Metrics: metrics } of blob._aws.CloudWatchMetrics) {
    for (const { Name } of metrics) series.add([Name, ...names.map(name => blob[name])].join(' '));
  }
}
