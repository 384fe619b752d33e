/** The example tenant in Splunk's Common Information Model: what the tags of the app claim, by Splunk's own test for add-ons. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { command } from '../../support/parts/command.ts';
import { PARTS, part } from './parts.ts';
import { SIEM_FOLDER } from './support/files.ts';
import { statedWords } from './support/models-page.ts';
import { report } from './support/report.ts';
import { type Fields, fieldsOf, isOfType, stanzas, timeOf } from './support/splunk-search.ts';
import { exampleTenant, headOf, type Tenant } from './support/tenant.ts';

const TESTER = `${PARTS.cim.name} ${PARTS.cim.version}`;

/** A field that a dataset needs. The tester makes a test of each. */
interface Check {
  readonly eventtype: string;
  readonly dataset: string;
  readonly field: string;
  readonly type: 'required' | 'conditional';
  readonly condition: string;
  readonly expected: readonly string[];
}

interface Claims {
  readonly checks: readonly Check[];
  /** Calculated fields that an add-on may not have. */
  readonly forbidden: readonly object[];
}

/** Its generator of tests, without the tests, which need Splunk. Of `splunk_cim_models`, which is not published, it has copies itself. */
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
    'checks': [{'eventtype': each['tag_stanza'], 'dataset': str(each['data_set'][-1]), 'field': field.name, 'type': field.type,
                'condition': field.condition, 'expected': list(field.expected_values or [])}
               for each in of('splunk_searchtime_cim_fields') for field in each['fields']],
    'forbidden': of('splunk_searchtime_cim_fields_not_allowed_in_props')[0]['fields'],
}, open(sys.argv[2], 'w'))
`;

async function claimsOf(app: string): Promise<Claims> {
  const folder = await mkdtemp(join(tmpdir(), 'cim-'));
  try {
    const output = join(folder, 'claims.json');
    await command(join(part('cim').folder, 'bin', 'python'), ['-c', PROGRAM, app, output], 120);
    return JSON.parse(await readFile(output, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `name="value" ` or empty, as conditions of the claimed datasets are. */
function holds(condition: string, fields: Fields): boolean {
  if (condition.trim() === '') return true;
  const [, name, value] = /^(\w+)="(\w+)"\s*$/.exec(condition)!;
  return fields.get(name!)?.[0] === value;
}

describe(`the example tenant in CIM, by ${TESTER}`, () => {
  const types = stanzas('eventtypes.conf');
  let tenant: Tenant;
  let claims: Claims;
  let events: readonly Fields[];
  const eventsOf = (stanza: string) => {
    const search = types.get(/eventtype="(.*)"/.exec(stanza)![1]!)!.get('search')!;
    return events.filter(each => isOfType(search, each));
  };
  const violationsOf = ({ eventtype, dataset, field, condition, expected }: Check, of = eventsOf(eventtype)) =>
    of
      .filter(each => holds(condition, each))
      .flatMap(each => {
        const values = each.get(field) ?? [];
        if (values.length === 0 || values.includes('')) return [`${dataset}: ${field} is missing`];
        return values
          .filter(one => expected.length > 0 && !expected.includes(one))
          .map(one => `${dataset}: ${field} may not be ${one}`);
      });

  const datasets = () => [...new Set(claims.checks.map(({ eventtype, dataset }) => `${eventtype} ${dataset}`))];

  beforeAll(async () => {
    tenant = await exampleTenant();
    events = tenant.lines.map(fieldsOf);
    claims = await claimsOf(join(SIEM_FOLDER, 'splunk', 'security_data_connector'));
  });

  test('the tags claim three datasets of inventory and one of intrusion detection, and nothing else', () => {
    expect(datasets()).toEqual([
      'eventtype="security_data_asset" All_Inventory',
      'eventtype="security_data_asset" Network',
      'eventtype="security_data_asset" OS',
      'eventtype="security_data_threat" IDS_Attacks',
    ]);
  });

  test('each claimed dataset has each of its fields in every event, with a value that it may have', () => {
    for (const [eventtype, dataset] of datasets().map(each => each.split(' ') as [string, string])) {
      const checks = claims.checks.filter(each => each.eventtype === eventtype && each.dataset === dataset);
      const found = eventsOf(eventtype);
      expect(found.length).toBeGreaterThan(100);
      expect([...new Set(checks.flatMap(each => violationsOf(each)))]).toEqual([]);
      report(TESTER, dataset, { events: found.length, fields: checks.length, missing: 0 });
    }
    expect(claims.forbidden).toEqual([]);
    expect(statedWords('CIM')).toBe(
      `${datasets().length} datasets, ${claims.checks.length} fields, 0 missing; 0 errors, 0 failures`,
    );
  });

  test('the test of a dataset fails for an event without the members', () => {
    const bare = fieldsOf(
      tenant.lines.find(line => headOf(line)['stream'] === 'threats')!.replace(/,"row":.*/s, ',"row":{}}'),
    );
    const missing = claims.checks
      .filter(each => each.dataset === 'IDS_Attacks')
      .flatMap(each => violationsOf(each, [bare]));
    expect(missing).toContain('IDS_Attacks: signature is missing');
    expect(missing).not.toContain('IDS_Attacks: vendor_product is missing');
  });

  test('a DNS block is a blocked query with its fields, and dated when it was blocked; everything else when the event was made', () => {
    const blocks = eventsOf('eventtype="security_data_dns_block"');
    expect(blocks.length).toBe(200);
    const names = ['query', 'record_type', 'src', 'dest', 'action', 'message_type', 'query_count', 'vendor_product'];
    expect(blocks.filter(each => names.some(name => !each.has(name)))).toEqual([]);
    for (const line of tenant.lines) {
      const { stream, time, forwarded_at } = headOf(line);
      expect(timeOf(line)).toBe(stream === 'dns-blocks' ? time : forwarded_at);
    }
    const odd = tenant.lines
      .find(line => headOf(line)['stream'] === 'dns-blocks')!
      .replace(/"time":"[^"]*"/, '"time":"2026-11-20T12:00Z"');
    expect(timeOf(odd)).toBe(headOf(odd)['forwarded_at']);
  });

  test('removals are found, and are no attacks', () => {
    const removals = eventsOf('eventtype="security_data_removal"');
    expect(removals.length).toBe(
      tenant.lines.map(headOf).filter(({ kind }) => /tombstone|withdrawn/.test(kind!)).length,
    );
    expect(eventsOf('eventtype="security_data_threat"').filter(each => removals.includes(each))).toEqual([]);
  });
});
