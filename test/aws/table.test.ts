import { test } from '@jest/globals';
import { AwsError } from '../../local/aws/service.ts';
import { MemoryTable } from '../../local/aws/table.ts';
import { readTableJson, tableJson } from '../../local/aws/table-json.ts';
import { expectAnswer, type WireAnswer } from './table-answer.ts';
import { CONTRACT, type Request, TableName } from './table-contract.ts';

const table = new MemoryTable(TableName);

/** Answers as DynamoDB does on the wire, with the capacity if the request asks for it. */
function answer([action, input]: Request): WireAnswer {
  try {
    const { output, readUnits, writeUnits } = table.perform(action, readTableJson(JSON.stringify(input)));
    const capacity = { TableName, CapacityUnits: readUnits ?? writeUnits };
    const ConsumedCapacity = action.startsWith('Batch') ? [capacity] : capacity;
    const body = { ...output, ...(input['ReturnConsumedCapacity'] ? { ConsumedCapacity } : {}) };
    return { status: 200, body: JSON.parse(tableJson(body)) };
  } catch (error) {
    if (error instanceof AwsError) return { status: error.status, body: { __type: error.code } };
    throw error;
  }
}

test.each(CONTRACT)('the table in memory keeps the contract of DynamoDB: %s', (_title, request, expected) => {
  expectAnswer(answer(request), expected);
});
