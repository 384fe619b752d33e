/**
 * Adds certificate authorities that the function trusts in addition to the authorities that Node
 * trusts, in a file of the function's bundle.
 */
import { copyFileSync, cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Annotations, AssetHashType, type AssetOptions, DockerImage } from 'aws-cdk-lib';
import type { BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Construct } from 'constructs';
import { sha256 } from '../../lambda/system.ts';
import { certificatesWarnings } from '../config/certificates.ts';

/** Name of the file in the bundle. */
export const CERTIFICATES_FILE = 'ca-certificates.pem';

/**
 * Returns the variable that names the file. Node reads this variable once, when its process starts.
 * Lambda starts the runtime with the variables of the function, and documents this variable for
 * certificates of the deployment package:
 * https://docs.aws.amazon.com/lambda/latest/dg/lambda-nodejs.html, CA certificate loading. Lambda
 * unpacks the bundle in `/var/task`.
 */
export function certificatesEnvironment(file: string | undefined): Record<string, string> {
  return file === undefined ? {} : { NODE_EXTRA_CA_CERTS: `/var/task/${CERTIFICATES_FILE}` };
}

/**
 * Makes the options of two connectors differ when their certificates differ. The CDK bundles a
 * source only once per app for the same options, and does not compare the code below, so a second
 * connector would otherwise be deployed with the certificates of the first connector.
 */
function certificatesKey(file: string): Record<string, string> {
  return { CERTIFICATES: sha256(readFileSync(file, 'utf8')) };
}

/** Returns options of an asset that copy a folder and add the file, without Docker. */
export function assetWithCertificates(folder: string, file: string): AssetOptions {
  return {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('not-used'),
      environment: certificatesKey(file),
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

/** Returns options of the bundling by esbuild that add the file. */
export function certificatesBundling(file: string): Pick<BundlingOptions, 'commandHooks'> {
  const copy = process.platform === 'win32' ? 'copy' : 'cp';
  const afterBundling = (_: string, outputFolder: string) => [
    [copy, quoted(path.resolve(file)), quoted(path.join(outputFolder, CERTIFICATES_FILE))].join(' '),
  ];
  return {
    commandHooks: { beforeBundling: () => [], beforeInstall: () => [], afterBundling },
  };
}

/** Quotes a name for bash, or on Windows for cmd, where names cannot contain quotes. */
function quoted(name: string): string {
  return process.platform === 'win32' ? `"${name}"` : `'${name.replaceAll("'", "'\\''")}'`;
}

export function warnOfCertificates(scope: Construct, file: string): void {
  for (const warning of certificatesWarnings(file, Date.now())) {
    const text = `caCertificates, ${file}: ${warning} The function will not accept what it signed.`;
    Annotations.of(scope).addWarningV2('security-data-connector:caCertificates', text);
  }
}
