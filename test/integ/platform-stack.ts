import path from 'node:path';
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Construct } from 'constructs';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** The embedded platform behind a URL that anyone may call: it answers to tokens alone, and holds invented rows. */
export class PlatformStack extends Stack {
  constructor(scope: Construct, id: string, tenant: string) {
    super(scope, id, { description: 'The embedded platform, for one integration test of the connector.' });
    const platform = new NodejsFunction(this, 'Platform', {
      entry: path.join(import.meta.dirname, 'platform-function.ts'),
      projectRoot: ROOT,
      depsLockFilePath: path.join(ROOT, 'package-lock.json'),
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      memorySize: 1024,
      timeout: Duration.seconds(30),
      environment: { TENANT: tenant },
      bundling: { format: OutputFormat.ESM, target: 'node24', mainFields: ['module', 'main'] },
    });
    const { url } = platform.addFunctionUrl({ authType: lambda.FunctionUrlAuthType.NONE });
    new CfnOutput(this, 'Url', { value: url });
  }
}
