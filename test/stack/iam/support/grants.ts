import { LOGICAL_IDS, resolveText } from '../../../../local/deployment/template.ts';
import { actionsOf, identityStatements, resourcesOf } from '../../suites/policies.ts';
import { only, resources, type SynthesizedTemplate } from '../../template.ts';

/** One action that a role may perform on one resource. */
export interface Grant {
  readonly action: string;
  /** As in the policy, with its wildcards. */
  readonly resource: string;
}

/**
 * Lists the actions that the function's role allows, each with its resource.
 *
 * @throws Error for policies that are not read here
 */
export function functionGrants(template: SynthesizedTemplate, resolve: (value: unknown) => string): Grant[] {
  const { Role: role } = only(template, 'AWS::Lambda::Function');
  const id = resolveText(role, LOGICAL_IDS);
  const attached = resources(template, 'AWS::IAM::Policy').some(({ Properties }) =>
    JSON.stringify(Properties['Roles']).includes(`"${id}"`),
  );
  if (attached || template.Resources[id]!.Properties['ManagedPolicyArns'])
    throw new Error('The role has policies beside its inline one');

  return identityStatements(template).flatMap(({ parent, statement }) => {
    if (parent !== id) return [];
    if (statement.Effect !== 'Allow') throw new Error(`${statement.Effect} is not understood`);
    return actionsOf(statement).flatMap(action =>
      resourcesOf(statement).map(resource => ({ action, resource: resolve(resource) })),
    );
  });
}

/** IAM's wildcards: `*` for any text, `?` for any character. */
export function allows({ action, resource }: Grant, permission: string, target: string): boolean {
  const pattern = resource
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return action === permission && new RegExp(`^${pattern}$`, 's').test(target);
}
