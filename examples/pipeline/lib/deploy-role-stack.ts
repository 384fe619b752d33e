import * as iam from 'aws-cdk-lib/aws-iam';
import * as cdk from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

const ISSUER = 'token.actions.githubusercontent.com';

export interface DeployRoleStackProps extends cdk.StackProps {
  /** Repository of this app on GitHub, as `organization/name`. */
  readonly repository: string;
}

/**
 * The role that GitHub Actions assumes through OpenID Connect, so that no access key is stored. A
 * person deploys this stack once.
 */
export class DeployRoleStack extends cdk.Stack {
  constructor(scope: Construct, id: string, { repository, ...props }: DeployRoleStackProps) {
    super(scope, id, props);
    // An account can have this provider only once. If your account already has it, use
    // iam.OidcProviderNative.fromOidcProviderArn.
    const provider = new iam.OidcProviderNative(this, 'GitHub', {
      url: `https://${ISSUER}`,
      clientIds: ['sts.amazonaws.com'],
    });
    const role = new iam.Role(this, 'DeployRole', {
      description: `Deploys the main branch of ${repository}.`,
      assumedBy: new iam.WebIdentityPrincipal(provider.oidcProviderArn, {
        StringEquals: {
          [`${ISSUER}:aud`]: 'sts.amazonaws.com',
          [`${ISSUER}:sub`]: `repo:${repository}:ref:refs/heads/main`,
        },
      }),
    });
    // The roles of the bootstrap do the work, and this role may only assume them.
    const bootstrapRoles = this.formatArn({
      service: 'iam',
      region: '',
      resource: 'role',
      resourceName: `cdk-${cdk.DefaultStackSynthesizer.DEFAULT_QUALIFIER}-*-role-${this.account}-*`,
    });
    role.addToPolicy(new iam.PolicyStatement({ actions: ['sts:AssumeRole'], resources: [bootstrapRoles] }));
    new cdk.CfnOutput(this, 'DeployRoleArn', { value: role.roleArn });
  }
}
