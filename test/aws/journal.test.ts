import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { JournalTable } from '../../local/aws/journal.ts';
import { temporaryFolder } from '../support/parts/temporary-folder.ts';
import { TableName } from './table-contract.ts';

const key = (pk: string, sk: string) => ({ pk: { S: pk }, sk: { S: sk } });
const item = (pk: string, sk: string, value = '') => ({ ...key(pk, sk), value: { S: value } });

describe('the file of a table', () => {
  const put = (table: JournalTable, Item: object) => table.perform('PutItem', { TableName, Item });

  test('the file of a table restores all items that were not deleted, including their bytes', async () => {
    await using folder = await temporaryFolder('table-');
    const file = join(folder.path, 'table.jsonl');
    const table = new JournalTable(TableName, file);
    const kept = { ...item('p', 'a'), window: { B: Buffer.from([0, 1, 2]) } };
    put(table, kept);
    put(table, item('p', 'b'));
    table.perform('BatchWriteItem', { RequestItems: { [TableName]: [{ DeleteRequest: { Key: key('p', 'b') } }] } });

    expect([...new JournalTable(TableName, file).items()]).toEqual([kept]);
  });

  test('the file of a table loses only the write that a kill cut off, and accepts further writes', async () => {
    await using folder = await temporaryFolder('table-');
    const file = join(folder.path, 'table.jsonl');
    put(new JournalTable(TableName, file), item('p', 'é'));
    await appendFile(file, '{"item":{"pk":{"S":"p"');
    put(new JournalTable(TableName, file), item('p', 'b'));

    expect([...new JournalTable(TableName, file).items()]).toEqual([item('p', 'é'), item('p', 'b')]);
  });

  test('the file of a table is rewritten when most of its lines are outdated', async () => {
    await using folder = await temporaryFolder('table-');
    const file = join(folder.path, 'table.jsonl');
    const table = new JournalTable(TableName, file);
    for (const value of ['1', '2', '3', '4']) put(table, item('p', 'a', value));
    expect([...new JournalTable(TableName, file).items()]).toEqual([item('p', 'a', '4')]);
    expect((await readFile(file, 'utf8')).match(/\n/g)).toHaveLength(1);
  });

  test('the file of a table is refused when a line is not an item', async () => {
    await using folder = await temporaryFolder('table-');
    const file = join(folder.path, 'table.jsonl');
    await appendFile(file, '{}\n');
    expect(() => new JournalTable(TableName, file)).toThrow(`The table is damaged: ${file}, line 1`);
  });
});
