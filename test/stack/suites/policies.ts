import type { SynthesizedTemplate } from '../template.ts';

export interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Effect: string;
  readonly Principal?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Statements of identity policies, each with the logical id of its parent. Resource policies are
 * not included.
 */
export function identityStatements(
  template: SynthesizedTemplate,
): { readonly parent: string; readonly statement: Statement }[] {
  return Object.entries(template.Resources).flatMap(([parent, { Type, Properties }]) => {
    if (!Type.startsWith('AWS::IAM::')) return [];
    const inline = (Properties['Policies'] ?? []) as { PolicyDocument: { Statement: Statement[] } }[];
    const own = Properties['PolicyDocument'] as { Statement: Statement[] } | undefined;
    const documents = [...inline.map(policy => policy.PolicyDocument), ...(own ? [own] : [])];
    return documents.flatMap(document => document.Statement.map(statement => ({ parent, statement })));
  });
}

/** The statements of policies whose logical ids begin so. */
export function statementsOf(template: SynthesizedTemplate, parents: string): Statement[] {
  return identityStatements(template).flatMap(({ parent, statement }) =>
    parent.startsWith(parents) ? [statement] : [],
  );
}

export function actionsOf(statement: Statement): string[] {
  return [statement.Action].flat();
}

export function resourcesOf(statement: Statement): unknown[] {
  return [statement.Resource].flat();
}
