import { Aws, Fn } from 'aws-cdk-lib';
import { CfnManagedPolicy, CfnRole } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

export interface RoleNameOptions {
  readonly rolePath?: string | undefined;
  readonly namePrefix?: string | undefined;
}

/**
 * Beginning of the name of Sentinel's role, because Sentinel does not accept a name with another
 * beginning.
 */
export const SENTINEL_PREFIX = 'OIDC_';

/**
 * Puts every role and managed policy below the scope under the path, and gives it a name that
 * begins with the prefix. For example, with the prefix `secops-` the role of the function is
 * `secops-PollerRole-51af3dc0`. Part of the stack's id makes the name unique in the account.
 */
export function nameRoles(scope: Construct, { rolePath, namePrefix }: RoleNameOptions): void {
  const unique = Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID))));
  const name = (resource: CfnRole | CfnManagedPolicy) => {
    const parts = resource.node.path.slice(scope.node.path.length).split('/');
    return `${namePrefix}${parts.filter(part => part !== 'Resource').join('')}-${unique}`;
  };

  for (const resource of scope.node.findAll()) {
    if (resource instanceof CfnRole) {
      if (rolePath) resource.path = rolePath;
      const isSentinel = resource.roleName?.startsWith(SENTINEL_PREFIX);
      if (namePrefix) resource.roleName = `${isSentinel ? SENTINEL_PREFIX : ''}${name(resource)}`;
    }
    if (resource instanceof CfnManagedPolicy) {
      if (rolePath) resource.path = rolePath;
      if (namePrefix) resource.managedPolicyName = name(resource);
    }
  }
}
