import { describe, expect, test } from '@jest/globals';
import { OCSF_TYPES } from '../../lambda/core/ocsf/values.ts';
import { readSettings } from '../../lambda/settings.ts';
import { ConfigurationError } from '../../lib/config/fault.ts';
import { readConnectors } from '../../lib/config/read-connectors.ts';
import { compileFields } from '../../lib/ocsf/compile-fields.ts';
import { ocsfSchema, valueType } from '../../lib/ocsf/schema.ts';
import { WIDE_MAPPING } from '../ocsf/wide-mapping.ts';
import { templateWith } from './shared-template.ts';
import { EXAMPLE, only } from './template.ts';
import { VARIANTS } from './variants.ts';

function faultsOf(options: Record<string, unknown>): Record<string, string> {
  try {
    readConnectors([{ ...EXAMPLE, format: 'ocsf', ...options }]);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return Object.fromEntries(error.faults.map(({ path, reason }) => [path, reason]));
  }
  return {};
}

const at = (path: string) => `connectors[0].ocsfFields${path}`;

describe('a mapping to OCSF', () => {
  test.each<[string, Record<string, unknown>, string, RegExp]>([
    ['an attribute that OCSF does not have', { a: 'shoe_size' }, '.a', /no attribute shoe_size in 5001.*2004.*4003/],
    ['an unknown attribute of an object', { a: 'device.os.mood' }, '.a', /no attribute device\.os\.mood in 5001/],
    ['an attribute that the stream’s class lacks', { threats: { a: 'query.hostname' } }, '.threats.a', /query in 2004/],
    ['an object', { a: 'device' }, '.a', /device is an object: name one/],
    ['a list of objects', { a: 'observables' }, '.a', /list of objects/],
    ['something within a list of objects', { a: 'observables.name' }, '.a', /list of objects/],
    ['something below a value', { a: 'device.hostname.x' }, '.a', /is a value/],
    ['something within unmapped', { a: 'unmapped.x' }, '.a', /connector itself/],
    ['an attribute that the connector fills', { a: 'type_uid' }, '.a', /connector itself/],
    ['the id of an asset', { a: 'device.uid' }, '.a', /connector itself/],
    ['a part of metadata', { a: 'metadata.labels' }, '.a', /connector itself/],
    ['the action of a DNS block', { 'dns-blocks': { a: 'action_id' } }, '.dns-blocks.a', /connector itself/],
    ['a caption', { a: 'severity' }, '.a', /severity takes the caption of severity_id/],
    ['an attribute of a profile', { a: 'cloud.region' }, '.a', /profile cloud/],
    ['a deprecated attribute', { a: 'device.imei' }, '.a', /deprecated/],
    ['one attribute for two members', { a: 'message', b: 'message' }, '.b', /filled by the member a already/],
    ['half of an object', { a: 'query.type' }, '.a', /query needs query\.hostname too/],
    ['an object that nothing names', { a: 'device.location.lat' }, '.a', /needs device\.location\.city or/],
    [
      'half of an object in the class of one stream',
      { threats: { a: 'device.owner.name' } },
      '.threats.a',
      /device needs device\.ip or/,
    ],
    ['an unknown stream', { hosts: { a: 'message' } }, '.hosts', /assets, threats, dns-blocks/],
    ['a member named constructor', { constructor: 'message' }, '.constructor', /cannot be mapped/],
    ['a number', { a: 7 }, '.a', /name of an attribute/],
    ['a list of attributes', { a: ['device.hostname'] }, '.a', /name of an attribute/],
    ['no name', { a: '' }, '.a', /name of an attribute|empty/],
    ['a path with an empty name', { a: 'device..os' }, '.a', /no attribute device\. in/],
    ['a name that every object has', { a: 'device.toString' }, '.a', /no attribute device\.toString/],
  ])('is refused for %s, with path and reason', (_, ocsfFields, path, reason) => {
    const faults = faultsOf({ ocsfFields });
    expect(Object.keys(faults)).toEqual([at(path)]);
    expect(Object.values(faults)[0]).toMatch(reason);
  });

  test('is refused when it is a list, which would map members named 0, 1, …', () => {
    expect(faultsOf({ ocsfFields: ['device.hostname'] })).toEqual({ [at('')]: expect.stringMatching(/not a list/) });
  });

  test('is refused without the format', () => {
    expect(faultsOf({ format: 'envelope', ocsfFields: { a: 'message' } })).toEqual({
      [at('')]: expect.stringMatching(/format is "ocsf"/),
    });
  });

  test('is refused when it leaves Lambda no room for its environment', () => {
    const attributes = ['message', 'device.hostname', 'device.name', 'device.model', 'device.domain', 'device.region'];
    const many = Object.fromEntries(attributes.map(attribute => [attribute.repeat(40), attribute]));
    expect(faultsOf({ ocsfFields: many })).toEqual({
      [at('')]: expect.stringMatching(/too large: it takes \d+ bytes/),
    });
  });

  test('has every fault named at once', () => {
    const ocsfFields = { a: 'shoe_size', b: 'device', d: 7, e: ['message'], threats: { c: 'time' } };
    expect(Object.keys(faultsOf({ ocsfFields })).sort()).toEqual(['.a', '.b', '.d', '.e', '.threats.c'].map(at));
  });

  test('for all streams holds in those whose class can take it', () => {
    const { compiled, faults } = compileFields({ team: 'device.owner.name', severity: 'severity_id' });
    expect(faults).toEqual([]);
    const members = Object.entries(compiled).map(([stream, { fields }]) => [stream, Object.keys(fields)]);
    expect(Object.fromEntries(members)).toMatchObject({
      assets: ['team', 'severity'],
      threats: ['severity'],
      'dns-blocks': ['severity'],
    });
  });

  test('for one stream goes before the one for all', () => {
    const { compiled } = compileFields({ a: 'message', threats: { a: 'comment' } });
    const target = (stream: string) => (compiled[stream]!.fields as Record<string, { to: string }>)['a']!.to;
    expect([target('assets'), target('threats')]).toEqual(['message', 'comment']);
  });

  test('that reaches every kind of attribute is taken, and the function reads what is compiled from it', () => {
    expect(faultsOf({ ocsfFields: { hostname: WIDE_MAPPING.hostname, threats: WIDE_MAPPING.threats } })).toEqual({});
    const { compiled, faults } = compileFields(WIDE_MAPPING);
    expect(faults).toEqual([]);
    expect(readSettings({ ...REQUIRED, EVENT_FORMAT: 'ocsf', OCSF_FIELDS: JSON.stringify(compiled) }).ocsf).toEqual(
      compiled,
    );
  });
});

const REQUIRED = {
  API_BASE_URL: 'https://api.example',
  AUTH_URL: 'https://auth.example/realms/one',
  CREDENTIALS_SECRET_ID: 'secret',
  STATE_TABLE: 'table',
  DELIVERY_STREAM: 'stream',
  DEAD_LETTER_BUCKET: 'bucket',
  CONNECTOR_NAME: 'acme',
};

describe('the environment of the function', () => {
  async function variables(options: object): Promise<Record<string, string>> {
    const template = await templateWith({ ...options });
    return (only(template, 'AWS::Lambda::Function')['Environment'] as { Variables: Record<string, string> }).Variables;
  }

  test('names format and mapping where OCSF is asked for, and the function reads them', async () => {
    const { EVENT_FORMAT, OCSF_FIELDS } = await variables(VARIANTS.ocsf);
    const settings = readSettings({ ...REQUIRED, EVENT_FORMAT, OCSF_FIELDS });
    expect(Object.keys(settings.ocsf ?? {})).toEqual(expect.arrayContaining(['assets', 'threats', 'dns-blocks']));
  });

  test('names the envelope and no mapping by default', async () => {
    expect(await variables(VARIANTS.plain)).toMatchObject({ EVENT_FORMAT: 'envelope' });
    expect(await variables(VARIANTS.plain)).not.toHaveProperty('OCSF_FIELDS');
    expect(readSettings(REQUIRED).ocsf).toBeUndefined();
  });

  test('without a mapping is OCSF all the same', () => {
    expect(readSettings({ ...REQUIRED, EVENT_FORMAT: 'ocsf' }).ocsf).toEqual({});
  });
});

test('every OCSF type is one that the function checks', () => {
  const types = Object.keys(ocsfSchema().types).map(valueType);
  expect(types.filter(type => !(OCSF_TYPES as string[]).includes(type))).toEqual([]);
});

test('the function checks a value by the type of its attribute', () => {
  expect(['integer_t', 'timestamp_t', 'ip_t', 'string_t'].map(valueType)).toEqual([
    'integer',
    'timestamp',
    'ip',
    'string',
  ]);
});
