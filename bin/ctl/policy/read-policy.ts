import { GetPolicyCommand, GetPolicyVersionCommand, paginateListAttachedRolePolicies } from '@aws-sdk/client-iam';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';
import type { Statement } from './permits.ts';

export interface ReaderPolicy {
  readonly statements: readonly Statement[];
  /** Whether the role has it; true where no role was asked about. */
  readonly attached: boolean;
}

/** A managed policy in its default version. @param roleArn of a role that should have it @throws AwsCallError */
export async function readPolicy(aws: Aws, policyArn: string, roleArn: string | undefined): Promise<ReaderPolicy> {
  const iam = aws.iam();
  try {
    const { Policy } = await iam.send(new GetPolicyCommand({ PolicyArn: policyArn }));
    const version = { PolicyArn: policyArn, VersionId: Policy?.DefaultVersionId ?? 'v1' };
    const { PolicyVersion } = await iam.send(new GetPolicyVersionCommand(version));
    // IAM gives the document percent-encoded.
    const { Statement: statements = [] } = JSON.parse(decodeURIComponent(PolicyVersion?.Document ?? '%7B%7D'));
    return { statements: [statements].flat(), attached: !roleArn || (await isAttached(aws, policyArn, roleArn)) };
  } catch (cause) {
    const advice =
      'You need iam:GetPolicy and iam:GetPolicyVersion on it, and iam:ListAttachedRolePolicies on the role.';
    throw new AwsCallError(`The policy ${policyArn} could not be read`, advice, cause);
  }
}

async function isAttached(aws: Aws, policyArn: string, roleArn: string): Promise<boolean> {
  const RoleName = roleArn.slice(roleArn.lastIndexOf('/') + 1);
  for await (const { AttachedPolicies = [] } of paginateListAttachedRolePolicies({ client: aws.iam() }, { RoleName })) {
    if (AttachedPolicies.some(each => each.PolicyArn === policyArn)) return true;
  }
  return false;
}
