import { onlyLogicalId } from '../../../../local/alarms/stack-parts.ts';
import { LOGICAL_IDS, resolveText } from '../../../../local/deployment/template.ts';
import type { SynthesizedTemplate } from '../../template.ts';

/** One action that a role may perform on one resource. */
export interface Grant {
  readonly action: string;
  /** As in the policy, with its wildcards. */
  readonly resource: string;
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** What the function's role may do, action by action and resource by resource. */
export function functionGrants(template: SynthesizedTemplate, resolve: (value: unknown) => string): Grant[] {
  return roleStatements(template).flatMap(({ Effect: effect, Action: actions, Resource: resources }) => {
    if (effect !== 'Allow') throw new Error(`${effect} is not understood`);
    return [actions].flat().flatMap(action => [resources].flat().map(each => ({ action, resource: resolve(each) })));
  });
}

function roleStatements(template: SynthesizedTemplate): Statement[] {
  const { Role: role } = template.Resources[onlyLogicalId(template, 'AWS::Lambda::Function')]!.Properties;
  const id = resolveText(role, LOGICAL_IDS);
  const { Policies: inline, ManagedPolicyArns: managed } = template.Resources[id]!.Properties as {
    Policies: readonly { PolicyDocument: { Statement: readonly Statement[] } }[];
    ManagedPolicyArns?: unknown;
  };
  const attached = Object.values(template.Resources).filter(
    ({ Type, Properties }) => Type === 'AWS::IAM::Policy' && JSON.stringify(Properties['Roles']).includes(`"${id}"`),
  );
  if (managed || attached.length > 0) throw new Error('The role has policies beside its inline one');
  return inline.flatMap(({ PolicyDocument: { Statement: statements } }) => statements);
}

/** IAM's wildcards: `*` for any text, `?` for any character. */
export function allows({ action, resource }: Grant, permission: string, target: string): boolean {
  const pattern = resource
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return action === permission && new RegExp(`^${pattern}$`, 's').test(target);
}
