/**
 * What brings back what somebody changed or deleted by hand. A plain deployment does not: the CDK skips a stack whose template is
 * the same, and CloudFormation compares templates, not what is there.
 */
export function restore(stackName: string, what = 'it'): string {
  return `"npx cdk deploy --revert-drift ${stackName}" restores ${what}; a plain deployment of the same template does not.`;
}
