import * as v from 'valibot';
import { option } from './fields.ts';

function id(prefix: string) {
  return v.pipe(
    v.string('must be a string'),
    v.regex(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), `must look like ${prefix}-0123456789abcdef0`),
  );
}

/** The network that the function runs in. Its subnets must reach the API and the AWS services. */
export const vpcSchema = v.strictObject({
  vpcId: option('VPC of the function.', id('vpc')),
  subnetIds: option(
    'Subnets with a way out to the API and to AWS.',
    v.pipe(v.array(id('subnet'), 'must be a list'), v.minLength(1, 'must name one subnet at least')),
  ),
  securityGroupIds: v.optional(
    option(
      'Security groups of the function. Left out: one is created that lets out what the function needs.',
      v.pipe(v.array(id('sg'), 'must be a list'), v.minLength(1, 'must name one security group at least')),
    ),
  ),
});

export type VpcConfig = v.InferOutput<typeof vpcSchema>;
