import { describe, expect, test } from '@jest/globals';
import { synthesize } from '../synth.ts';
import { VARIANTS } from '../variants.ts';
import { actionsOf, identityStatements, resourcesOf, type Statement } from './policies.ts';

function grants(options: object): Statement[] {
  return identityStatements(synthesize({ ...options }))
    .filter(({ parent }) => parent.startsWith('ConnectorQueryAnalystPolicy'))
    .map(({ statement }) => statement);
}

describe('an analyst', () => {
  const writes = /^(s3:(Put|Delete|Abort)|glue:(Create|Update|Delete|Batch)|athena:(Create|Update|Delete|Tag))/;

  test('writes answers and nothing else', () => {
    const writing = grants(VARIANTS.query).filter(statement =>
      actionsOf(statement).some(action => writes.test(action)),
    );
    expect(writing.map(actionsOf)).toEqual([
      ['s3:AbortMultipartUpload', 's3:GetObject', 's3:ListMultipartUploadParts', 's3:PutObject'],
    ]);
    expect(JSON.stringify(writing.flatMap(resourcesOf))).toContain('ConnectorQueryResults');
  });

  test('reads and lists the events, and no dead letter', () => {
    const reading = grants(VARIANTS.existingParts).filter(statement =>
      JSON.stringify(statement).includes('acme-security-data'),
    );
    expect(reading.map(({ Action, Resource, Condition }) => ({ Action, Resource, Condition }))).toEqual([
      {
        Action: 's3:GetObject',
        Resource: 'arn:aws:s3:::acme-security-data/events/*',
        Condition: undefined,
      },
      {
        Action: 's3:ListBucket',
        Resource: 'arn:aws:s3:::acme-security-data',
        Condition: { StringLike: { 's3:prefix': 'events/*' } },
      },
      { Action: 's3:GetBucketLocation', Resource: expect.anything(), Condition: undefined },
    ]);
  });

  test('asks in this workgroup, of this database', () => {
    const text = JSON.stringify(grants(VARIANTS.query).flatMap(resourcesOf));
    expect(text).toContain(':workgroup/security-data-acme');
    expect(text).toContain(':table/security_events_acme/*');
    expect([...text.matchAll(/:(?:database|table|workgroup)\/([\w-]+)/g)].map(match => match[1])).toEqual([
      'security-data-acme',
      'security_events_acme',
      'security_events_acme',
      'default',
    ]);
  });

  test('may list what the console of Athena offers to choose from, and nothing else without a resource', () => {
    const unbounded = grants(VARIANTS.query).filter(statement => resourcesOf(statement).includes('*'));
    expect(unbounded.map(actionsOf)).toEqual([
      ['athena:ListDataCatalogs', 'athena:ListEngineVersions', 'athena:ListWorkGroups'],
    ]);
  });

  test('uses the customer’s key to read events and to write answers', () => {
    const uses = grants(VARIANTS.everyOption).filter(statement =>
      actionsOf(statement).some(action => action.startsWith('kms:')),
    );
    expect(uses.flatMap(actionsOf).sort()).toEqual(['kms:Decrypt', 'kms:GenerateDataKey']);
  });
});
