import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { command } from '../../support/parts/command.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { part } from '../running.ts';
import { PARTS } from './parts.ts';
import { SIEM_FOLDER, splunkDashboard } from './support/files.ts';

const APP = join(SIEM_FOLDER, 'splunk', 'security_data_connector');

test('the app for Splunk passes Splunk’s own checks for apps', async () => {
  await using folder = await temporaryFolder('appinspect-');
  const python = join(part('appinspect').folder, 'bin', 'python');
  const output = join(folder.path, 'result.json');
  const program = 'from splunk_appinspect.main import execute; execute()';
  await command(python, ['-c', program, 'inspect', APP, '--data-format', 'json', '--output-file', output], 600);
  const { summary } = JSON.parse(await readFile(output, 'utf8'));
  expect(summary).toMatchObject({ error: 0, failure: 0, future_failure: 0 });
  expect(summary.success).toBeGreaterThan(50);
});

interface Validator {
  setSchema(schema: object): Error | null;
  validate(definition: object, namespaces: readonly string[]): readonly object[] | null;
}

test('the dashboard for Splunk defines each visualization, input and search once and shows all of them', () => {
  const load = createRequire(join(part('dashboard').folder, 'package.json'));
  const { DashboardValidator } = load(PARTS.dashboard.name) as { DashboardValidator: new () => Validator };
  const violations = (definition: object) => {
    const validator = new DashboardValidator();
    // The schemas of visualizations are not published. The validator requires one before it checks
    // the whole.
    expect(validator.setSchema({ $id: 'any', type: 'object' })).toBeNull();
    return validator.validate(definition, []) ?? [];
  };
  // Splunk 9.0 knows one layout, and later releases take it over as the layout of one tab, which is
  // what the validator knows.
  const dashboard = splunkDashboard();
  const { type, options, structure, globalInputs } = dashboard.layout;
  const layout = {
    globalInputs,
    layoutDefinitions: { one: { type, options, structure } },
    tabs: { items: [{ layoutId: 'one', label: 'One' }] },
  };
  expect(violations({ ...dashboard, layout })).toEqual([]);
  expect(violations({ ...dashboard, layout, visualizations: {} }).length).toBe(structure.length);
});
