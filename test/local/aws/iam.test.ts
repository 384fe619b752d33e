import {
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRoleCommand,
  IAMClient,
  ListAttachedRolePoliciesCommand,
  ListRolesCommand,
} from '@aws-sdk/client-iam';
import { expect, test } from '@jest/globals';
import { createIam } from '../../../local/aws/iam.ts';
import { PLACE, type Served, served } from './served.ts';

const PolicyArn = 'arn:aws:iam::000000000000:policy/reader';
const DOCUMENT = { Version: '2012-10-17', Statement: [{ Action: "s3:Get*(')!", Resource: 'ü&<>%+ ' }] };

async function scene(): Promise<Served & { client: IAMClient }> {
  const policies = [{ arn: PolicyArn, name: 'reader', document: DOCUMENT }];
  const roles = [
    { name: 'siem', policyArns: [PolicyArn], trust: DOCUMENT },
    { name: 'bare', policyArns: [], trust: {} },
  ];
  const each = await served(createIam({ ...PLACE, policies, roles }));
  return { ...each, client: new IAMClient(each.config) };
}

test('GetPolicy returns the default version of a policy', async () => {
  await using each = await scene();
  const { Policy } = await each.client.send(new GetPolicyCommand({ PolicyArn }));
  expect(Policy).toMatchObject({
    Arn: PolicyArn,
    PolicyName: 'reader',
    DefaultVersionId: 'v1',
  });
  expect(each.permissions).toEqual([['iam:GetPolicy', PolicyArn]]);
});

test('GetPolicyVersion gives the document, percent-encoded by RFC 3986', async () => {
  await using each = await scene();
  const { PolicyVersion } = await each.client.send(new GetPolicyVersionCommand({ PolicyArn, VersionId: 'v1' }));
  expect(PolicyVersion).toMatchObject({ VersionId: 'v1', IsDefaultVersion: true });
  expect(JSON.parse(decodeURIComponent(PolicyVersion!.Document!))).toEqual(DOCUMENT);
  expect(PolicyVersion!.Document).toMatch(/^[\w.~%-]+$/);
});

test('GetRole returns the trust policy of a role, percent-encoded like every document', async () => {
  await using each = await scene();
  const { Role } = await each.client.send(new GetRoleCommand({ RoleName: 'siem' }));
  expect(Role).toMatchObject({ RoleName: 'siem', Arn: 'arn:aws:iam::000000000000:role/siem' });
  expect(JSON.parse(decodeURIComponent(Role!.AssumeRolePolicyDocument!))).toEqual(DOCUMENT);
  await expect(each.client.send(new GetRoleCommand({ RoleName: 'x' }))).rejects.toMatchObject({
    name: 'NoSuchEntityException',
    message: 'The role with name x cannot be found.',
  });
  expect(each.permissions[0]).toEqual(['iam:GetRole', 'arn:aws:iam::000000000000:role/siem']);
});

test('ListAttachedRolePolicies returns the managed policies of a role', async () => {
  await using each = await scene();
  const attached = async (RoleName: string) =>
    (await each.client.send(new ListAttachedRolePoliciesCommand({ RoleName }))).AttachedPolicies;
  expect(await attached('siem')).toEqual([{ PolicyName: 'reader', PolicyArn }]);
  expect(await attached('bare')).toEqual([]);
  await expect(attached('other')).rejects.toMatchObject({
    name: 'NoSuchEntityException',
    message: 'The role with name other cannot be found.',
  });
  expect(each.permissions[0]).toEqual(['iam:ListAttachedRolePolicies', 'arn:aws:iam::000000000000:role/siem']);
});

test('missing policies and versions and unsupported operations are refused', async () => {
  await using each = await scene();
  const other = { PolicyArn: `${PolicyArn}2` };
  const missing = { name: 'NoSuchEntityException', message: `Policy ${other.PolicyArn} was not found.` };
  await expect(each.client.send(new GetPolicyCommand(other))).rejects.toMatchObject(missing);
  await expect(each.client.send(new GetPolicyVersionCommand({ ...other, VersionId: 'v1' }))).rejects.toMatchObject(
    missing,
  );
  await expect(each.client.send(new GetPolicyVersionCommand({ PolicyArn, VersionId: 'v2' }))).rejects.toMatchObject({
    name: 'NoSuchEntityException',
    $metadata: { httpStatusCode: 404 },
  });
  await expect(each.client.send(new ListRolesCommand({}))).rejects.toMatchObject({
    name: 'InvalidAction',
  });
});
