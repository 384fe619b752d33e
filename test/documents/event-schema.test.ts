import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { STREAMS } from '../../lambda/streams.ts';
import { type Line, labelOf, ORDER, rightVariants, SHAPES, wrongVariants } from './event-variants.ts';
import { section } from './pages.ts';

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');

const schema = JSON.parse(read('event.schema.json')) as AnySchemaObject & {
  properties: Record<string, unknown>;
  allOf: AnySchemaObject[];
};
const blocks = [...read('events.md').matchAll(/^```jsonl\n([\s\S]*?)\n```$/gm)].map(match => match[1] ?? '');
const examples = blocks.map(block => JSON.parse(block) as Line);

const compile = (definition: AnySchemaObject) => {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  formats.default(ajv);
  return ajv.compile(definition);
};
const validate = compile(schema);

describe('the examples in docs/events.md', () => {
  test('the examples in docs/events.md contain every kind and every stream', () => {
    expect(examples.map(labelOf).sort()).toEqual(SHAPES.map(labelOf).sort());
  });

  test.each(examples.map((event, index) => ({ label: labelOf(event), event, block: blocks[index] })))(
    'the example $label is one line of compact JSON with its members in their fixed order',
    ({ event, block }) => {
      expect(Object.keys(event)).toEqual(ORDER.filter(member => member in event));
      expect(block).not.toMatch(/\n|": |, "/);
    },
  );

  test('the examples in docs/events.md have distinct event_ids and rising sequences', () => {
    expect(new Set(examples.map(event => event['event_id'])).size).toBe(examples.length);
    for (const { name } of STREAMS) {
      const own = examples.filter(({ stream }) => stream === name).map(event => String(event['sequence']));
      expect(own).toEqual([...new Set(own)].sort());
    }
  });
});

describe('the event schema', () => {
  test('the event schema lists the members in their fixed order', () => {
    expect(Object.keys(schema.properties)).toEqual(ORDER);
  });

  test.each(examples.map(event => [labelOf(event), event] as const))(
    'the event schema accepts the example %s and its valid variants, but refuses its invalid variants',
    (_label, event) => {
      const right = [['is the example', event] as const, ...rightVariants(event)];
      expect(right.filter(([, variant]) => !validate(variant))).toEqual([]);
      expect(wrongVariants(event).filter(([, variant]) => validate(variant))).toEqual([]);
    },
  );

  test('every condition of the event schema is needed, because some invalid event would pass without the condition', () => {
    const broken = examples.flatMap(wrongVariants);
    const idle = schema.allOf.filter((_, index) => {
      const weaker = compile({ ...schema, $id: `${schema.$id}:${index}`, allOf: schema.allOf.toSpliced(index, 1) });
      return broken.every(([, event]) => !weaker(event));
    });
    expect(idle).toEqual([]);
  });
});

test('docs/events.md explains ordering and duplicates in five sentences before the details', () => {
  const [first = ''] = section(read('events.md'), '## Ordering and duplicates').trim().split('\n\n');
  const sentences = first.replaceAll('\n', ' ').split(/(?<=[.!?:]) (?=[A-Z])/);
  expect(sentences).toHaveLength(5);
});
