import { Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Explains to cdk-nag why a policy may end in a wildcard below one resource. Each wildcard has its own reason. */
export function suppressWildcard(scope: IConstruct, resource: string, reason: string): void {
  const finding = flatten(Stack.of(scope).resolve(resource));
  Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[Resource::${finding}]`, reason });
}

/** Explains a rule that a whole construct breaks on purpose. */
export function suppressFinding(scope: IConstruct, id: string, reason: string): void {
  Validations.of(scope).acknowledge({ id, reason });
}

type Resolved = string | { Ref: string } | { 'Fn::GetAtt': [string, string] } | { 'Fn::Join': [string, Resolved[]] };

/** The way cdk-nag writes an ARN that is known only at deployment: `<LogicalId.Arn>/path`. */
function flatten(value: Resolved): string {
  if (typeof value === 'string') return value;
  if ('Ref' in value) return `<${value.Ref}>`;
  if ('Fn::GetAtt' in value) return `<${value['Fn::GetAtt'].join('.')}>`;
  const [separator, parts] = value['Fn::Join'];
  return parts.map(flatten).join(separator);
}
