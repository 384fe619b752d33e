/**
 * A certificate authority of a test, in memory: X.509 certificates (RFC 5280) with keys on P-256,
 * written in DER by hand, because Node reads certificates and makes none.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface IssuedCertificate {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

export interface CertificateAuthority {
  /** PEM of its own certificate. */
  readonly certificate: string;
  /** PEM of its private key. */
  readonly key: string;
  /** A certificate of a server for these hosts and IPv4 addresses. */
  issue(hosts: readonly string[], validity?: Validity): IssuedCertificate;
}

export interface Validity {
  readonly from: Date;
  readonly to: Date;
}

const DAY_MILLISECONDS = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MILLISECONDS);
const CURRENT: Validity = { from: daysFromNow(-1), to: daysFromNow(30) };
export const EXPIRED: Validity = { from: daysFromNow(-30), to: daysFromNow(-1) };

export function certificateAuthority(name: string, validity = CURRENT): CertificateAuthority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const make = (subject: string, key: KeyObject, extensions: readonly Buffer[], during: Validity) =>
    pem(certificate({ issuer: name, subject, key, extensions, validity: during, signer: privateKey }));
  return {
    certificate: make(name, publicKey, [IS_AUTHORITY, keyIdentifier(publicKey)], validity),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    issue(hosts, during = CURRENT) {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return {
        cert: make(hosts[0]!, own.publicKey, [alternativeNames(hosts)], during),
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      };
    },
  };
}

interface Contents {
  readonly issuer: string;
  readonly subject: string;
  readonly key: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly validity: Validity;
  readonly signer: KeyObject;
}

function certificate({ issuer, subject, key, extensions, validity, signer }: Contents): Buffer {
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    SIGNATURE_ALGORITHM,
    commonName(issuer),
    sequence(time(validity.from), time(validity.to)),
    commonName(subject),
    key.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  );
  return sequence(body, SIGNATURE_ALGORITHM, bits(sign('sha256', body, signer)));
}

/** Tag, length and contents. */
function tagged(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const bytes = Buffer.from(body.length.toString(16).padStart(body.length < 256 ? 2 : 4, '0'), 'hex');
  const length = body.length < 128 ? bytes : Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
}

const sequence = (...contents: readonly Buffer[]) => tagged(0x30, ...contents);
const integer = (value: Buffer) => tagged(0x02, value);
const bits = (value: Buffer) => tagged(0x03, Buffer.from([0]), value);
const octets = (value: Buffer) => tagged(0x04, value);
const identifier = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));
const TRUE = tagged(0x01, Buffer.from([0xff]));

/** 20261123120000Z */
const time = (date: Date) => tagged(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')}`));

/** ecdsa-with-SHA256 */
const SIGNATURE_ALGORITHM = sequence(identifier('2a8648ce3d040302'));

const commonName = (name: string) =>
  sequence(tagged(0x31, sequence(identifier('550403'), tagged(0x0c, Buffer.from(name)))));

/** Basic constraints, critical. */
const IS_AUTHORITY = sequence(identifier('551d13'), TRUE, octets(sequence(TRUE)));

const keyIdentifier = (key: KeyObject) => {
  const hash = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
  return sequence(identifier('551d0e'), octets(octets(hash)));
};

/** Subject alternative names: DNS names, and IPv4 addresses. */
function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map(host =>
    /^[\d.]+$/.test(host) ? tagged(0x87, Buffer.from(host.split('.').map(Number))) : tagged(0x82, Buffer.from(host)),
  );
  return sequence(identifier('551d11'), octets(sequence(...names)));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
