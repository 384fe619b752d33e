import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { command } from '../../support/parts/command.ts';

export interface Certificate {
  readonly path: string;
  readonly keyPath: string;
  readonly text: string;
  readonly key: string;
}

/** A certificate for this machine's loopback interface, which this process trusts from now on. */
export async function createCertificate(folder: string): Promise<Certificate> {
  const path = join(folder, 'certificate.pem');
  const keyPath = join(folder, 'key.pem');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyPath];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  await command('openssl', ['req', '-x509', '-days', '2', ...key, ...names, '-out', path], 30);
  const text = await readFile(path, 'utf8');
  setDefaultCACertificates([...getCACertificates('default'), text]);
  return { path, keyPath, text, key: await readFile(keyPath, 'utf8') };
}
