/**
 * The app for Splunk in the Common Information Model: what its tags claim, by Splunk's own test for
 * add-ons, and what its fields are made from.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { command } from '../../support/parts/command.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { part } from '../running.ts';
import { titleOf } from './parts.ts';
import { HEAD_NAMES, SIEM_FOLDER, siemFile } from './support/files.ts';
import { exampleTenant, headOf, rowOf, type Tenant } from './support/tenant.ts';

/** A field that a dataset needs. The tester makes a test of each. */
interface Check {
  readonly eventtype: string;
  readonly dataset: string;
  readonly field: string;
  /** Empty, or `name="value" `: the event that needs the field. */
  readonly condition: string;
  /** The values that it may have; none: any. */
  readonly expected: readonly string[];
}

interface Claims {
  readonly checks: readonly Check[];
  /** Calculated fields that an add-on may not have. */
  readonly forbidden: readonly object[];
}

/**
 * Its generator of tests, without the tests, which need Splunk. Of `splunk_cim_models`, which is
 * not published, it has copies itself.
 */
const PROGRAM = `
import json, os, sys, types
import pytest_splunk_addon
home = os.path.dirname(pytest_splunk_addon.__file__)
cim = os.path.join(home, 'cim_tests')
sys.modules['splunk_cim_models'] = types.SimpleNamespace(
    COMMON_FIELDS_PATH=os.path.join(cim, 'CommonFields.json'), DATAMODEL_SCHEMA_PATH=os.path.join(cim, 'DatamodelSchema.json'))
from pytest_splunk_addon.cim_tests.test_generator import CIMTestGenerator
generator = CIMTestGenerator(sys.argv[1], os.path.join(home, 'data_models'), [])
of = lambda fixture: [each.values[0] for each in generator.generate_tests(fixture)]
json.dump({
    'checks': [{'eventtype': each['tag_stanza'], 'dataset': str(each['data_set'][-1]), 'field': field.name, 'condition': field.condition,
                'expected': list(field.expected_values or [])}
               for each in of('splunk_searchtime_cim_fields') for field in each['fields']],
    'forbidden': of('splunk_searchtime_cim_fields_not_allowed_in_props')[0]['fields'],
}, open(sys.argv[2], 'w'))
`;

async function claimsOf(app: string): Promise<Claims> {
  await using folder = await temporaryFolder('cim-');
  const output = join(folder.path, 'claims.json');
  await command(join(part('cim').folder, 'bin', 'python'), ['-c', PROGRAM, app, output], 120);
  return JSON.parse(await readFile(output, 'utf8'));
}

const PROPS = siemFile('splunk/security_data_connector/default/props.conf');
/** The expression of each calculated field. */
const FIELDS = new Map([...PROPS.matchAll(/^EVAL-(\w+) = (.*)$/gm)].map(([, name, text]) => [name!, text!]));

/** The constants that the field may have, as "host" in `case(stream="threats", "host")`. */
function constantsOf(field: string): string[] {
  return [...(FIELDS.get(field) ?? '').matchAll(/, "([^"]+)"/g)].map(([, constant]) => constant!);
}

describe(`the app for Splunk in CIM, by ${titleOf('cim')}`, () => {
  let tenant: Tenant;
  let claims: Claims;

  beforeAll(async () => {
    tenant = await exampleTenant();
    claims = await claimsOf(join(SIEM_FOLDER, 'splunk', 'security_data_connector'));
  });

  test('the app for Splunk claims exactly three datasets of inventory and one of intrusion detection', () => {
    const datasets = [...new Set(claims.checks.map(({ eventtype, dataset }) => `${eventtype} ${dataset}`))];
    expect(datasets).toEqual([
      'eventtype="security_data_asset" All_Inventory',
      'eventtype="security_data_asset" Network',
      'eventtype="security_data_asset" OS',
      'eventtype="security_data_threat" IDS_Attacks',
    ]);
    expect(claims.forbidden).toEqual([]);
  });

  test('the app for Splunk has each field of the claimed datasets, with allowed constants', () => {
    const needed = claims.checks.filter(({ condition }) => {
      const [, name = '', value] = /^(\w+)="(\w+)"/.exec(condition) ?? [];
      return value === undefined || constantsOf(name).includes(value);
    });
    expect(needed.length).toBeGreaterThan(15);
    expect(needed.filter(({ field }) => !FIELDS.has(field) && !HEAD_NAMES.includes(field))).toEqual([]);
    for (const { field, expected } of needed)
      if (expected.length > 0) expect(expected).toEqual(expect.arrayContaining(constantsOf(field)));
  });

  test('the app for Splunk reads only members that rows of the example tenant have', () => {
    const paths = [...PROPS.matchAll(/'row\.([\w.{}]+)'/g)].map(([, path]) => path!);
    const rows = tenant.lines.map(rowOf);
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter(path => !rows.some(row => hasMember(row, path.replaceAll('{}', '.0').split('.'))))).toEqual([]);
  });

  test('a DNS block in CIM has the time of the block, but other events have forwarded_at', () => {
    const prefix = new RegExp(/^TIME_PREFIX = (.*)$/m.exec(PROPS)![1]!);
    const timeOf = (line: string) => {
      const { index, 0: before } = prefix.exec(line)!;
      return line.slice(index + before.length, index + before.length + 24);
    };
    for (const line of tenant.lines) {
      const { stream, time, forwarded_at } = headOf(line);
      expect(timeOf(line)).toBe(stream === 'dns-blocks' ? time : forwarded_at);
    }
    const block = tenant.lines.find(line => headOf(line)['stream'] === 'dns-blocks')!;
    const odd = block.replace(/"time":"[^"]*"/, '"time":"2026-11-20T12:00Z"');
    expect(timeOf(odd)).toBe(headOf(odd)['forwarded_at']);
  });
});

function hasMember(value: unknown, [name, ...below]: readonly string[]): boolean {
  if (name === undefined) return value !== undefined;
  return typeof value === 'object' && value !== null && hasMember((value as Record<string, unknown>)[name], below);
}
