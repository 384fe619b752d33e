import type { LocalAws } from '../../../local/aws/endpoints.ts';
import { joined } from '../../drills/support/intrinsic.ts';
import type { SynthesizedTemplate } from '../../lib/synth.ts';

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'us-east-1',
  'AWS::AccountId': '000000000000',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** What `Ref` and `Fn::GetAtt Arn` give for a resource of each type, with the names that things have here. */
const NAMES: Readonly<Record<string, (aws: LocalAws) => { readonly ref: string; readonly arn: string }>> = {
  'AWS::DynamoDB::Table': ({ names }) => ({ ref: names.stateTable, arn: arn('dynamodb', `table/${names.stateTable}`) }),
  'AWS::KinesisFirehose::DeliveryStream': ({ names }) => ({
    ref: names.deliveryStream,
    arn: arn('firehose', `deliverystream/${names.deliveryStream}`),
  }),
  'AWS::SecretsManager::Secret': ({ secret }) => ({ ref: secret.arn, arn: secret.arn }),
  'AWS::S3::Bucket': ({ names }) => ({ ref: names.deadLetterBucket, arn: `arn:aws:s3:::${names.deadLetterBucket}` }),
  'AWS::Logs::LogGroup': () => ({ ref: 'function-logs', arn: arn('logs', 'log-group:function-logs:*') }),
};

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:us-east-1:000000000000:${resource}`;
}

/** Reads texts of the template as CloudFormation would have made them, had it made the local endpoints. */
export function localNames(template: SynthesizedTemplate, aws: LocalAws): (value: unknown) => string {
  const resolve = (reference: unknown): string => {
    const { Ref: ref, 'Fn::GetAtt': attribute } = reference as { Ref?: string; 'Fn::GetAtt'?: readonly string[] };
    if (ref && ref in PSEUDO) return PSEUDO[ref]!;
    const id = ref ?? attribute?.[0] ?? '';
    const names = NAMES[template.Resources[id]?.Type ?? '']?.(aws);
    if (!names || (attribute && attribute[1] !== 'Arn'))
      throw new Error(`Not known here: ${JSON.stringify(reference)}`);
    return ref ? names.ref : names.arn;
  };
  return value => joined(value, resolve);
}
