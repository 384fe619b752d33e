import { test } from '@jest/globals';
import { dynamoDbClient } from '../../local/aws/dynamodb.ts';
import { Table } from '../../local/aws/table.ts';
import { expectAnswer } from './table-answer.ts';
import { CONTRACT, TableName } from './table-contract.ts';

const client = dynamoDbClient(new Table(TableName));

test.each(CONTRACT)('the table in memory: %s', async (_title, [action, input], expected) => {
  expectAnswer(await client(action, input), expected);
});
