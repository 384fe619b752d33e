/** Checks of a file of certificates. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { shownText } from '../../lambda/issue-text.ts';
import type { Entry } from './contradictions.ts';
import type { Fault } from './fault.ts';

/**
 * The fault of the file of an entry, with a path relative to the entry.
 *
 * @param folder that the path is relative to: the folder of cdk.json
 */
export function certificatesFaults({ caCertificates: file }: Entry, folder: string): Fault[] {
  if (typeof file !== 'string' || file === '') return [];
  const reason = fileFault(path.resolve(folder, file));
  return reason === undefined ? [] : [{ path: 'caCertificates', reason: `${shownText(file, 256)} ${reason}` }];
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

/** Warnings about certificates that can be deployed, but make connections fail now or later. */
export function certificatesWarnings(file: string, now: number): string[] {
  const certificates = certificateBlocks(readFileSync(file, 'utf8')).map(block => new X509Certificate(block));
  const subjects = new Set(certificates.map(({ subject }) => subject));
  return certificates.flatMap(({ subject, issuer, validTo, validFrom }) => {
    const name = `The certificate ${nameOf(subject)}`;
    if (Date.parse(validTo) <= now) return [`${name} expired on ${validTo}. Replace it.`];
    if (Date.parse(validFrom) > now) return [`${name} is valid from ${validFrom} only.`];
    // Node accepts no chain that ends below a root.
    if (!subjects.has(issuer))
      return [`${name} was issued by ${nameOf(issuer)}, which is not in the file. Add that one.`];
    return [];
  });
}

function nameOf(subject: string | undefined): string {
  return subject?.replaceAll('\n', ', ') || 'without a name';
}
