/**
 * The rules of cdk-nag for the stacks of `cdk.json`, and the reasons for the findings that are
 * accepted.
 */
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

interface Accepted {
  /**
   * Id of the finding, such as `AwsSolutions-IAM5[Resource::<ConnectorData0A1B2C3D.Arn>/events/*]`.
   */
  readonly id: RegExp;
  /** End of the path of the resource. */
  readonly path: RegExp;
  readonly reason: string;
}

const ACCEPTED: readonly Accepted[] = [
  {
    id: /^AwsSolutions-S1$/,
    path: /\/Data\/Resource$/,
    reason:
      'Reads are audited by CloudTrail data events where an organization wants them; a second bucket for access logs in every stack would need protection too.',
  },
  {
    id: /^AwsSolutions-SMG4$/,
    path: /\/(Credentials|Delivery\/Token)\/Resource$/,
    reason: 'The operator of the API or of the endpoint issues and rotates these credentials. AWS cannot rotate them.',
  },
  {
    id: /^AwsSolutions-SQS3$/,
    path: /\/Tick\/Undelivered\/Resource$/,
    reason: 'This queue is itself the dead-letter queue of the schedule.',
  },
  {
    id: /^AwsSolutions-IAM5\[Resource::\S+\/(events|delivery-errors)\/\*\]$/,
    path: /\/(Delivery\/Role|(Siem|SiemReaders\/[^/]+)\/ReaderPolicy)\/Resource$/,
    reason: 'Firehose names the objects; the wildcard stays below a prefix that it writes.',
  },
  {
    id: /^AwsSolutions-IAM5\[Resource::\S+\/dead-letter\/[a-z0-9-]+\/\*\]$/,
    path: /\/Poller\/Role\/Resource$/,
    reason: 'Each dead letter is an object of its own; the wildcard stays below those of this connector.',
  },
  {
    id: /^AwsSolutions-IAM5\[Resource::\S+\/log\/\*\]$/,
    path: /\/Poller\/Role\/Resource$/,
    reason: 'Each batch on its way is an object of its own; the wildcard stays below the prefix of batches.',
  },
  {
    id: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    path: /\/Poller\/Role\/Resource$/,
    reason:
      'Lambda places the function in the VPC with these grants, which name no resource beforehand; the function itself is denied them.',
  },
];

/**
 * Checks every stack of the app at synth. Call it after the last stack, because a finding can be
 * acknowledged only once it exists.
 */
export function checkWithNag(app: App): void {
  const checks = new AwsSolutionsChecks(app);

  for (const { ruleName, violatingResources } of checks.validateScope(app).violations) {
    for (const { constructPath = '' } of violatingResources) {
      const accepted = ACCEPTED.find(({ id, path }) => id.test(ruleName) && path.test(constructPath));
      if (!accepted) continue;
      Validations.of(constructAt(app, constructPath)).acknowledge({ id: ruleName, reason: accepted.reason });
    }
  }
  Validations.of(app).acknowledge({
    id: 'Annotation::@aws-cdk/aws-ec2:noSubnetRouteTableId',
    reason: 'Nothing here uses the route table of a subnet.',
  });
  Validations.of(app).addPlugins(checks);
}

function constructAt(app: App, path: string): IConstruct {
  return path.split('/').reduce<IConstruct>((construct, id) => construct.node.findChild(id), app);
}
