import path from 'node:path';
import { RemovalPolicy } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import * as logs from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { FUNCTION_TIMEOUT, TICK_EXPIRES_AFTER } from '../alarms/timing.ts';
import type { ConnectorOptions } from '../config/props.ts';
import { PREBUILT_FUNCTION_FOLDER, ROOT } from '../installation.ts';
import { LOG_PREFIX, PREFIXES } from '../prefixes.ts';
import { allowStatement, keyStatements, secretArnOf } from '../statements.ts';
import { BUNDLE_OPTIONS } from './bundling.ts';
import { assetWithCertificates, certificatesBundling, warnOfCertificates } from './ca-certificates.ts';
import { type FunctionResources, PROCESS_ENVIRONMENT } from './function-environment.ts';
import { denyNetworkToCode, NETWORK_ACTIONS, networkPlacement } from './poller-network.ts';

export interface PollerProps extends FunctionResources, Omit<ConnectorOptions, keyof FunctionResources> {
  /** Addresses to which the function connects, in addition to AWS. */
  readonly addresses: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The function that reads the API, with its role and its logs. */
export class Poller extends Construct {
  readonly function: lambda.Function;
  readonly logGroup: logs.LogGroup;

  constructor(scope: Construct, id: string, props: PollerProps) {
    super(scope, id);
    this.logGroup = new logs.LogGroup(this, 'Logs', {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = this.createRole(props);
    this.function = this.createFunction(props.caCertificates, {
      description: 'Reads the Security Data External API and sends what changed to the delivery stream.',
      handler: 'index.handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      memorySize: props.memorySize,
      timeout: FUNCTION_TIMEOUT,
      // Lambda does not retry a run, because the next scheduled run does the work of a failed or
      // late run.
      retryAttempts: 0,
      maxEventAge: TICK_EXPIRES_AFTER,
      role,
      logGroup: this.logGroup,
      environment: { ...props.environment, ...PROCESS_ENVIRONMENT },
      ...networkPlacement(this, props, props.addresses),
    });
    // The CDK adds the role to DependsOn, although the reference to the role already implies that.
    // cfn-lint would warn of it.
    const resource = this.function.node.defaultChild as lambda.CfnFunction;
    resource.addMetadata('cfn-lint', { config: { ignore_checks: ['W3005'] } });
    if (props.vpc) denyNetworkToCode(this, role, this.function);
  }

  /**
   * Creates the function from the bundle of the package, or bundles it here from the sources of the
   * clone. The template is the same in both cases.
   */
  private createFunction(certificates: string | undefined, props: Omit<lambda.FunctionProps, 'code'>): lambda.Function {
    if (certificates !== undefined) warnOfCertificates(this, certificates);
    if (PREBUILT_FUNCTION_FOLDER) {
      const bundling = certificates && assetWithCertificates(PREBUILT_FUNCTION_FOLDER, certificates);
      const code = lambda.Code.fromAsset(PREBUILT_FUNCTION_FOLDER, bundling || {});
      return new lambda.Function(this, 'Function', { ...props, code });
    }
    const { sourcemap: sourceMap, ...bundling } = BUNDLE_OPTIONS;
    return new NodejsFunction(this, 'Function', {
      ...props,
      entry: path.join(ROOT, 'lambda', 'handler.ts'),
      projectRoot: ROOT,
      depsLockFilePath: path.join(ROOT, 'package-lock.json'),
      awsSdkConnectionReuse: false,
      bundling: {
        ...bundling,
        mainFields: [...bundling.mainFields],
        format: OutputFormat.ESM,
        bundleAwsSDK: true,
        sourceMap,
        ...(certificates && certificatesBundling(certificates)),
      },
    });
  }

  private createRole(props: PollerProps): iam.Role {
    const { encryptionKey, state, bucket, credentials } = props;
    // The statements allow every AWS call that the function makes, each for one resource. A test
    // compares them with its calls.
    const statements = [
      allowStatement(['secretsmanager:GetSecretValue'], secretArnOf(credentials)),
      allowStatement(STATE_ACTIONS, state.tableArn),
      allowStatement(['firehose:PutRecordBatch'], props.delivery.deliveryStreamRef.deliveryStreamArn),
      allowStatement(['s3:PutObject'], bucket.arnForObjects(`${PREFIXES.deadLetters}${props.connectorName}/*`)),
      allowStatement(LOG_ACTIONS, bucket.arnForObjects(`${LOG_PREFIX}*`)),
      allowStatement(['logs:CreateLogStream', 'logs:PutLogEvents'], this.logGroup.logGroupArn),
      ...keyStatements(this, {
        readAndWriteState: [encryptionKey, state.encryptionKey],
        writeObjects: [encryptionKey, bucket.encryptionKey],
        readSecret: [encryptionKey, credentials.encryptionKey],
      }),
      ...(props.vpc ? [allowStatement(NETWORK_ACTIONS, '*')] : []),
    ];
    return new iam.Role(this, 'Role', {
      description: 'Allows the function the calls that it makes, on its own resources.',
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { Drain: new iam.PolicyDocument({ statements }) },
    });
  }
}

const STATE_ACTIONS = [
  'dynamodb:BatchGetItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:PutItem',
  'dynamodb:Query',
  'dynamodb:Scan',
  'dynamodb:UpdateItem',
];

const LOG_ACTIONS = ['s3:DeleteObject', 's3:DeleteObjectVersion', 's3:GetObject', 's3:PutObject'];
