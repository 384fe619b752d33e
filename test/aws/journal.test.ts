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

  test('gives the table again, without its deleted items and with its bytes', async () => {
    await using folder = await temporaryFolder('table-');
    const file = join(folder.path, 'table.jsonl');
    const table = new JournalTable(TableName, file);
    const kept = { ...item('p', 'a'), window: { B: Buffer.from([0, 1, 2]) } };
    put(table, kept);
    put(table, item('p', 'b'));
    table.perform('BatchWriteItem', { RequestItems: { [TableName]: [{ DeleteRequest: { Key: key('p', 'b') } }] } });

    expect([...new JournalTable(TableName, file).items()]).toEqual([kept]);
  });

  test('loses the write whose line a kill cut, and takes further writes', async () => {
    await using folder = await temporaryFolder('table-');
    const file = join(folder.path, 'table.jsonl');
    put(new JournalTable(TableName, file), item('p', 'é'));
    await appendFile(file, '{"item":{"pk":{"S":"p"');
    put(new JournalTable(TableName, file), item('p', 'b'));

    expect([...new JournalTable(TableName, file).items()]).toEqual([item('p', 'é'), item('p', 'b')]);
  });

  test('is written anew once most of its lines are outdated', async () => {
    await using folder = await temporaryFolder('table-');
    const file = join(folder.path, 'table.jsonl');
    const table = new JournalTable(TableName, file);
    for (const value of ['1', '2', '3', '4']) put(table, item('p', 'a', value));
    expect([...new JournalTable(TableName, file).items()]).toEqual([item('p', 'a', '4')]);
    expect((await readFile(file, 'utf8')).match(/\n/g)).toHaveLength(1);
  });

  test('is refused when a line is not one of a table', async () => {
    await using folder = await temporaryFolder('table-');
    const file = join(folder.path, 'table.jsonl');
    await appendFile(file, '{}\n');
    expect(() => new JournalTable(TableName, file)).toThrow(`The table is damaged: ${file}, line 1`);
  });
});
