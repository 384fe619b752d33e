import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { command } from '../support/parts/command.ts';
import { PARTS, part } from './parts.ts';
import { SIEM_FOLDER } from './support/files.ts';
import { diagnostics } from './support/kusto.ts';

const FOLDER = join(SIEM_FOLDER, 'sigma');

/** The rules for each query language. Backends without correlations get only the rules on single events. */
const TARGETS = [
  ['splunk', 'splunk', 'rules', ['index="security_data"', 'kind="tombstone"', 'event_count >= 100']],
  ['esql', 'elasticsearch', 'rules', ['security_data.kind=="withdrawn"', 'event_count >= 100']],
  ['eql', 'elasticsearch', 'rules', ['security_data.kind:"tombstone"', 'with runs=100']],
  ['lucene', 'elasticsearch', 'rules/events', ['security_data.kind:tombstone']],
  ['kusto', 'kusto', 'rules/events', ['EventKind =~ "tombstone"']],
  ['log_scale', 'crowdstrike', 'rules/events', ['kind=/^tombstone$/i']],
] as const;

describe(`the rules of siem/sigma, by ${PARTS.sigma.name} ${PARTS.sigma.version}`, () => {
  test('are valid', async () => {
    const said = await sigma('check', '--fail-on-error', '--fail-on-issues', join(FOLDER, 'rules'));
    expect(said).toContain('Found 0 errors, 0 condition errors and 0 issues');
  });

  test.each(TARGETS)('become queries of %s with the pipeline %s', async (target, pipeline, rules, expected) => {
    const queries = await convert(target, pipeline, rules);
    for (const each of expected) expect(queries).toContain(each);
  });

  test("become KQL without a fault, by Kusto's own language service", async () => {
    const queries = (await convert('kusto', 'kusto', 'rules/events'))
      .split('\n')
      .filter(line => line.includes(' | where '));
    expect(queries.length).toBe(3);
    expect(queries.flatMap(diagnostics)).toEqual([]);
  });
});

function convert(target: string, pipeline: string, rules: string): Promise<string> {
  return sigma('convert', '-t', target, '-p', join(FOLDER, 'pipelines', `${pipeline}.yml`), join(FOLDER, rules));
}

function sigma(...args: readonly string[]): Promise<string> {
  return command(
    join(part('sigma').folder, 'bin', 'python'),
    ['-c', 'from sigma.cli.main import main; main()', ...args],
    300,
  );
}
