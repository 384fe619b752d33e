import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { JSON_SCHEMA_FILE, jsonSchemaText } from '../documents/json-schema.ts';
import { ROOT } from '../documents/pages.ts';
import { EXAMPLE } from './template.ts';
import { VARIANT_NAMES, VARIANTS } from './variants.ts';

const validate = addFormats.default(new Ajv({ allErrors: true })).compile(JSON.parse(jsonSchemaText()));

function accepts(connectors: unknown): boolean {
  return validate({ context: { connectors } });
}

test('cdk.json names the JSON Schema and is valid', () => {
  const cdk = JSON.parse(readFileSync(path.join(ROOT, 'cdk.json'), 'utf8'));
  expect(path.resolve(ROOT, cdk.$schema)).toBe(JSON_SCHEMA_FILE);
  expect(validate(cdk)).toBe(true);
});

test.each(VARIANT_NAMES)('the JSON Schema accepts the variant %s', name => {
  expect(accepts([{ ...EXAMPLE, ...VARIANTS[name] }])).toBe(true);
});

test('each option except caCertificates occurs in a tested variant', () => {
  const { properties } = JSON.parse(jsonSchemaText()).properties.context.properties.connectors.items;
  const used = new Set([EXAMPLE, ...Object.values(VARIANTS)].flatMap(Object.keys));

  expect(Object.keys(properties).filter(option => !used.has(option))).toEqual(['caCertificates']);
});

test.each([{ foo: 1 }, { memoryMegabytes: 10_241 }])('the JSON Schema refuses %j', options => {
  expect(accepts([{ ...EXAMPLE, ...options }])).toBe(false);
});

test('every option and every nested member has a description that editors show', () => {
  const { items } = JSON.parse(jsonSchemaText()).properties.context.properties.connectors;
  const { vpc, destination, siemReader } = items.properties;
  const silent = [items, vpc, ...destination.oneOf, ...siemReader.oneOf]
    .flatMap(({ properties }) => Object.entries<{ description?: string }>(properties))
    .filter(([name, { description }]) => name !== 'type' && !description?.endsWith('.'));
  expect(silent.map(([name]) => name)).toEqual([]);
});
