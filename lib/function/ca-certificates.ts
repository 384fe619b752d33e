/** Certificate authorities that the function trusts beside those of Node, in a file of the function's bundle. */
import { copyFileSync, cpSync } from 'node:fs';
import path from 'node:path';
import { Annotations, AssetHashType, type AssetOptions, DockerImage } from 'aws-cdk-lib';
import type { ICommandHooks } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Construct } from 'constructs';
import { certificatesWarnings } from '../config/certificates.ts';

/** Name of the file in the bundle. */
export const CERTIFICATES_FILE = 'ca-certificates.pem';

/**
 * Node reads the variable once, when its process starts. Lambda starts the runtime with the variables of the function, and documents this
 * one for certificates of the deployment package: https://docs.aws.amazon.com/lambda/latest/dg/lambda-nodejs.html, CA certificate loading.
 * Lambda unpacks the bundle in `/var/task`.
 */
export function certificatesEnvironment(file: string | undefined): Record<string, string> {
  return file === undefined ? {} : { NODE_EXTRA_CA_CERTS: `/var/task/${CERTIFICATES_FILE}` };
}

/** Bundling that copies a folder and adds the file. Docker is never asked. */
export function withCertificates(folder: string, file: string): AssetOptions {
  return {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('not-used'),
      local: {
        tryBundle(outputFolder) {
          cpSync(folder, outputFolder, { recursive: true });
          copyFileSync(file, path.join(outputFolder, CERTIFICATES_FILE));
          return true;
        },
      },
    },
  };
}

/** Adds the file to what esbuild has written. */
export function certificatesHook(file: string): ICommandHooks {
  const copy = process.platform === 'win32' ? 'copy' : 'cp';
  return {
    beforeBundling: () => [],
    beforeInstall: () => [],
    afterBundling: (_, outputFolder) => [
      [copy, quoted(path.resolve(file)), quoted(path.join(outputFolder, CERTIFICATES_FILE))].join(' '),
    ],
  };
}

/** For bash, and on Windows for cmd, where names hold no quotes. */
function quoted(name: string): string {
  return process.platform === 'win32' ? `"${name}"` : `'${name.replaceAll("'", "'\\''")}'`;
}

export function warnOfCertificates(scope: Construct, file: string): void {
  for (const warning of certificatesWarnings(file, Date.now())) {
    const text = `${warning} The function will not accept what it signed. Replace it in ${file}, and deploy.`;
    Annotations.of(scope).addWarningV2('security-data-connector:caCertificates', text);
  }
}
