import { describe, expect, test } from '@jest/globals';
import { logFields } from '../../documents/log-fields.ts';
import { synthesize } from '../synth.ts';
import { only } from '../template.ts';

/** Lambda writes these about a run that failed. */
const OF_LAMBDA = ['errorType', 'errorMessage'];

describe('the saved query of errors', () => {
  const { Name, QueryString, LogGroupNames } = only(synthesize(), 'AWS::Logs::QueryDefinition') as {
    readonly Name: string;
    readonly QueryString: string;
    readonly LogGroupNames: readonly unknown[];
  };

  test('the saved query has the name of the connector and reads the log of the function', () => {
    expect(Name).toBe('security-data-connector/acme/errors');
    expect(LogGroupNames).toEqual([{ Ref: expect.stringMatching(/^ConnectorPollerLog/) }]);
  });

  test('the saved query uses only fields that the function or Lambda writes', async () => {
    const named = [...QueryString.matchAll(/@\w+|\berror\.\w+|\b(?:level|stream|errorType|errorMessage)\b/g)];
    const known = await logFields();
    expect(named.length).toBeGreaterThan(8);
    expect(named.map(([field]) => field).filter(field => !known.has(field) && !OF_LAMBDA.includes(field))).toEqual([]);
  });
});
