/** Certificate authorities that the function trusts beside those of Node, in a file of the function's bundle. */
import { X509Certificate } from 'node:crypto';
import { copyFileSync, cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Annotations, AssetHashType, type AssetOptions, DockerImage } from 'aws-cdk-lib';
import type { ICommandHooks } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Construct } from 'constructs';
import type { Fault } from '../config/fault.ts';

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

/** Faults of the file in each entry, independent of its other faults. */
export function certificatesFaults(list: unknown, folder: string): Fault[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry, index) => certificatesFaultsWithin(entry, folder, `connectors[${index}]`));
}

/** @param folder that the path is relative to: the folder of cdk.json */
export function certificatesFaultsWithin(entry: unknown, folder: string, root: string): Fault[] {
  const { caCertificates: file } = (entry ?? {}) as { readonly caCertificates?: unknown };
  if (typeof file !== 'string' || file === '') return [];
  const reason = fileFault(path.resolve(folder, file));
  return reason === undefined ? [] : [{ path: `${root}.caCertificates`, reason: `${file} ${reason}` }];
}

function fileFault(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    return `cannot be read (${(cause as NodeJS.ErrnoException).code}): check the path, which is relative to the folder of cdk.json`;
  }
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
    return 'holds a private key, which would be deployed with the function: give a file with certificates alone';
  const blocks = certificateBlocks(text);
  if (blocks.length === 0) return 'holds no certificate in PEM: it must have lines -----BEGIN CERTIFICATE-----';
  const damaged = blocks.findIndex(block => !isCertificate(block));
  return damaged < 0 ? undefined : `holds a certificate that cannot be read: number ${damaged + 1} of ${blocks.length}`;
}

function certificateBlocks(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
}

function isCertificate(block: string): boolean {
  try {
    new X509Certificate(block);
    return true;
  } catch {
    return false;
  }
}

/** Certificates that can be deployed, and that connections fail for. */
function certificatesWarnings(file: string, now: number): string[] {
  const certificates = certificateBlocks(readFileSync(file, 'utf8')).map(block => new X509Certificate(block));
  return certificates.flatMap(({ subject, validTo, validFrom }) => {
    const name = subject?.replaceAll('\n', ', ') || 'without a name';
    if (Date.parse(validTo) <= now) return [`The certificate ${name} expired on ${validTo}.`];
    return Date.parse(validFrom) > now ? [`The certificate ${name} is valid from ${validFrom} only.`] : [];
  });
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
