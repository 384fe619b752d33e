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
  const policies = [{ arn: PolicyArn, name: 'reader', description: 'Reads & <more>', document: DOCUMENT }];
  const roles = [
    { name: 'siem', policyArns: [PolicyArn], trust: DOCUMENT },
    { name: 'bare', policyArns: [], trust: {} },
  ];
  const each = await served(createIam({ ...PLACE, policies, roles, created: 1_000_000 }));
  return { ...each, client: new IAMClient(each.config) };
}

test('GetPolicy returns the default version of a policy', async () => {
  await using each = await scene();
  const { Policy } = await each.client.send(new GetPolicyCommand({ PolicyArn }));
  expect(Policy).toMatchObject({
    Arn: PolicyArn,
    PolicyName: 'reader',
    Description: 'Reads & <more>',
    DefaultVersionId: 'v1',
    AttachmentCount: 1,
    CreateDate: new Date(1_000_000),
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

test('ListAttachedRolePolicies cuts pages where the request says so', async () => {
  const policies = ['a', 'b', 'c'].map(name => ({ arn: `${PolicyArn}-${name}`, name, document: DOCUMENT }));
  const roles = [{ name: 'siem', policyArns: policies.map(({ arn }) => arn), trust: {} }];
  await using each = await served(createIam({ ...PLACE, policies, roles, created: 0 }));
  const client = new IAMClient(each.config);
  const page = (Marker?: string, MaxItems = 2) =>
    client.send(new ListAttachedRolePoliciesCommand({ RoleName: 'siem', MaxItems, Marker }));
  const first = await page();
  const second = await page(first.Marker);
  const names = [first, second].map(({ AttachedPolicies = [] }) => AttachedPolicies.map(one => one.PolicyName));
  expect([names, first.IsTruncated, second.IsTruncated, second.Marker]).toEqual([
    [['a', 'b'], ['c']],
    true,
    false,
    undefined,
  ]);
  await expect(page('x')).rejects.toMatchObject({ name: 'ValidationError' });
  await expect(page(undefined, 1001)).rejects.toMatchObject({ name: 'ValidationError' });
});

test('a policy or version that is not there, and what is not part of the endpoint, is refused', async () => {
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
