import { beforeAll, describe, expect, test } from '@jest/globals';
import { functionPrivileges, NEEDED_FOR } from './function-permissions.ts';
import { allows } from './support/grants.ts';
import { type Privileges, RUNTIME_ACTIONS } from './support/privileges.ts';

let found: Privileges;

beforeAll(async () => {
  found = await functionPrivileges();
});

describe('the function’s role', () => {
  test('the function’s role allows every call that the function makes', () => {
    expect(found.refused).toEqual([]);
  });

  test('the function’s role allows only the calls of the function and the storing of its logs', () => {
    const unused = found.grants.filter(({ scenarios }) => scenarios.length === 0);
    expect(unused.map(({ action }) => action).sort()).toEqual([...RUNTIME_ACTIONS]);
  });

  test('the function’s role names each action without a wildcard and with its reason', () => {
    const actions = found.grants.map(({ action }) => action);
    expect(actions.filter(action => action.includes('*'))).toEqual([]);
    expect([...new Set(actions)].sort()).toEqual(Object.keys(NEEDED_FOR).sort());
    const grants = found.grants.map(({ action, resource }) => `${action} ${resource}`);
    expect(grants).toHaveLength(new Set(grants).size);
  });
});

describe('a grant', () => {
  const grant = { action: 's3:PutObject', resource: 'arn:aws:s3:::bucket/dead-letter/*' };

  test.each([
    ['s3:PutObject', 'arn:aws:s3:::bucket/dead-letter/acme/x.json', true],
    ['s3:PutObject', 'arn:aws:s3:::bucket/events/x.json', false],
    ['s3:PutObject', 'arn:aws:s3:::bucket2/dead-letter/x.json', false],
    ['s3:GetObject', 'arn:aws:s3:::bucket/dead-letter/x.json', false],
  ])('the permission %s on %s is granted in the same way as by IAM: %s', (permission, resource, allowed) => {
    expect(allows(grant, permission, resource)).toBe(allowed);
  });
});
