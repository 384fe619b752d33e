import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { AwsCallError } from '../../errors.ts';
import { readState } from '../../state/read-state.ts';
import { type Check, fail, ok } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

/** A new table begins `sequence` anew, below what the SIEM has. */
const GONE =
  'Deploy nothing: with an empty table the SIEM would hold its old events for newer. Restore it under its own name from the backup ' +
  'that AWS keeps for 35 days: aws dynamodb list-backups --backup-type SYSTEM';

export const table: Check<DoctorContext> = {
  name: 'table',
  needs: ['stack'],
  async look({ aws, deployment }) {
    const { table: name } = await deployment();
    try {
      const { Table: told } = await aws.patientDynamodb().send(new DescribeTableCommand({ TableName: name }));
      if (told?.TableStatus === 'ACTIVE') return ok(`${name} is active`);
      return fail(`${name} is ${told?.TableStatus}`, 'Runs fail until it is active: see DynamoDB in the console.');
    } catch (cause) {
      if (cause instanceof Error && cause.name === 'ResourceNotFoundException') return fail(`${name} is gone`, GONE);
      throw new AwsCallError(
        `The table ${name} could not be described`,
        'You need dynamodb:DescribeTable on it.',
        cause,
      );
    }
  },
};

export const state: Check<DoctorContext> = {
  name: 'state',
  needs: ['table'],
  async look({ aws, clock, deployment }) {
    const { table: name } = await deployment();
    const { streams } = await readState(aws, name, clock.now());
    const damaged = [...streams].flatMap(([stream, memory]) => (memory instanceof Error ? [stream] : []));
    if (damaged.length === 0) return ok('what is saved of each stream is sound');
    return fail(
      `what is saved of ${damaged.join(', ')} is damaged`,
      `"npm run connectorctl -- resync ${damaged.join(' ')}" mends it.`,
    );
  },
};
