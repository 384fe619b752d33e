/** Checks the file of the option `caCertificates`. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { printableText } from '../../lambda/issue-text.ts';
import type { ConnectorEntry } from './contradictions.ts';
import type { Problem } from './problem.ts';

/**
 * Finds the problems of an entry's certificate file. The paths of the problems are relative to the
 * entry.
 *
 * @param folder folder of cdk.json, to which the path of the file is relative
 */
export function certificatesProblems({ caCertificates: file }: ConnectorEntry, folder: string): Problem[] {
  if (typeof file !== 'string' || file === '') return [];
  try {
    readCertificates(path.resolve(folder, file));
    return [];
  } catch (error) {
    return [{ path: 'caCertificates', reason: `${printableText(file, 256)} ${(error as Error).message}` }];
  }
}

/** @throws Error whose message continues a sentence that begins with the name of the file */
function readCertificates(file: string): X509Certificate[] {
  const text = textOf(file);
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
    throw new Error(
      'holds a private key, which would be deployed with the function: give a file with certificates alone',
    );

  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g);
  if (!blocks) throw new Error('holds no certificate in PEM: it must have lines -----BEGIN CERTIFICATE-----');

  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new Error(`holds a certificate that cannot be read: number ${index + 1} of ${blocks.length}`);
    }
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`cannot be read (${code}): check the path, which is relative to the folder of cdk.json`, { cause });
  }
}

/**
 * Returns warnings about certificates that can be deployed, but that make connections fail now or
 * later.
 */
export function certificatesWarnings(file: string, now: number): string[] {
  const certificates = readCertificates(file);
  const subjects = new Set(certificates.map(({ subject }) => subject));
  return certificates.flatMap(({ subject, issuer, validTo, validFrom }) => {
    const name = `The certificate ${nameOf(subject)}`;
    if (Date.parse(validTo) <= now) return [`${name} expired on ${validTo}. Replace it.`];
    if (Date.parse(validFrom) > now) return [`${name} is valid from ${validFrom} only.`];
    // Node does not accept a chain that ends below a root.
    if (!subjects.has(issuer))
      return [`${name} was issued by ${nameOf(issuer)}, which is not in the file. Add that one.`];
    return [];
  });
}

function nameOf(subject: string | undefined): string {
  return subject?.replaceAll('\n', ', ') || 'without a name';
}
