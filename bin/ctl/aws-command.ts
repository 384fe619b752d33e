/**
 * A command of the AWS CLI for the operator to run. It names the region, because the operator's shell may have another one.
 *
 *     awsCommand('eu-west-1', 'sns list-topics')  →  aws sns list-topics --region eu-west-1
 *
 * @param words service, operation and options
 */
export function awsCommand(region: string, words: string): string {
  return `aws ${words} --region ${region}`;
}
