/** Says before jest's own summary how many tests ran on each part. */
import { relative } from 'node:path';
import { PART_NAMES, PARTS } from './parts.ts';
import { running } from './running.ts';
import { SUITES } from './suites.ts';

interface Results {
  readonly testResults: readonly {
    readonly testFilePath: string;
    readonly numPassingTests: number;
    readonly numFailingTests: number;
  }[];
}

export default class PartsReporter {
  onRunComplete(_contexts: unknown, { testResults }: Results): void {
    const there = running();
    const lines = PART_NAMES.map(part => {
      const files = SUITES.filter(({ needs }) => needs.includes(part)).map(({ file }) => file);
      const results = testResults.filter(({ testFilePath }) => files.includes(relative(process.cwd(), testFilePath)));
      const sum = (of: 'numPassingTests' | 'numFailingTests') => results.reduce((total, each) => total + each[of], 0);
      const counts = `${sum('numPassingTests')} passed, ${sum('numFailingTests')} failed`;
      const { name, version } = PARTS[part];
      return `${name} ${version}: ${there[part] ? counts : `not started, so ${files.length} test files were not run`}`;
    });
    // jest writes its summary there too, so the order is kept.
    process.stderr.write(`\n${lines.join('\n')}\n`);
  }
}
