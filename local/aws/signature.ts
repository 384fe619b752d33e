/**
 * Checks the signature of a request (AWS Signature Version 4) as the services do. Every user of a machine can reach its loopback
 * ports. Without this check, they could read the client secret of a real tenant.
 *
 * The age of a signature is not checked. Only the superuser can record requests on the loopback interface.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AwsError, type ServiceName, type WireRequest } from './service.ts';

export interface AccessKey {
  readonly id: string;
  readonly secret: string;
}

/** A key that nobody can guess, in the form of AWS's own. */
export function randomAccessKey(): AccessKey {
  return { id: `AKIA${randomBytes(8).toString('hex').toUpperCase()}`, secret: randomBytes(30).toString('base64') };
}

/** What signing needs to know of a service. */
interface SignedService {
  readonly name: ServiceName;
  /** The answer to a request without a signature. */
  readonly unsigned: AwsError;
}

/** @throws AwsError as the service answers to an unknown key and to a wrong signature */
export function checkSignature(request: WireRequest, service: SignedService, key: AccessKey): void {
  const parts = AUTHORIZATION.exec(request.headers.authorization ?? '')?.groups;
  if (!parts) throw service.unsigned;
  if (parts['keyId'] !== key.id) throw unknownKey(service);
  const given = Buffer.from(parts['signature']!, 'hex');
  const isComplete = signsAll(request, parts['headers']!.split(';'));
  if (!isComplete || !timingSafeEqual(given, signatureOf(request, parts, key.secret, service.name === 's3'))) {
    throw mismatch(service);
  }
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(?<keyId>[^/,]+)\/(?<scope>[^,]+), ?SignedHeaders=(?<headers>[^,]+), ?Signature=(?<signature>[0-9a-f]{64})$/;

/** Every header that defines the request must be signed, or a recorded signature would be valid for another request. */
function signsAll({ headers, body }: WireRequest, signed: readonly string[]): boolean {
  const digest = headers['x-amz-content-sha256'];
  // Other values declare a body that S3 accepts unsigned.
  if (/^[0-9a-f]{64}$/.test(String(digest)) && digest !== sha256(body)) return false;
  const required = Object.keys(headers).filter(name => name === 'host' || name.startsWith('x-amz-'));
  return required.every(name => signed.includes(name));
}

function signatureOf(request: WireRequest, parts: Record<string, string>, secret: string, isS3: boolean): Buffer {
  const scope = parts['scope']!.split('/');
  const canonical = sha256(canonicalRequest(request, parts['headers']!, isS3));
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], parts['scope'], canonical].join('\n');
  return hmac(scope.reduce(hmac, Buffer.from(`AWS4${secret}`)), text);
}

function canonicalRequest({ method, url, headers, body }: WireRequest, signed: string, isS3: boolean): string {
  const [path = '', query = ''] = url.split('?', 2);
  const lines = signed.split(';').map(
    name =>
      `${name}:${String(headers[name] ?? '')
        .trim()
        .replace(/\s+/g, ' ')}\n`,
  );
  const digest = (isS3 && headers['x-amz-content-sha256']) || sha256(body);
  // Only S3 signs the path as sent. The other services encode it once more.
  const canonicalPath = isS3 ? path : path.split('/').map(encoded).join('/');
  return [method, canonicalPath, canonicalQuery(query), lines.join(''), signed, digest].join('\n');
}

function canonicalQuery(query: string): string {
  const pairs = query.split('&').filter(pair => pair !== '');
  const members = pairs.map(pair => {
    const [name = '', ...value] = pair.split('=');
    return [name, value.join('=')].map(text => encoded(decoded(text)));
  });
  return members
    .sort(([a = '', x = ''], [b = '', y = '']) => (a === b ? Number(x > y) - Number(x < y) : a < b ? -1 : 1))
    .map(member => member.join('='))
    .join('&');
}

/** Broken percent-encoding is signed as it is, so the signature never matches. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, each => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** The JSON protocols have names that end in `Exception`. S3 and the query protocol each have their own. */
function unknownKey({ name, unsigned: { status, code } }: SignedService): AwsError {
  if (name === 's3') {
    return new AwsError(403, 'InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.');
  }
  const message = 'The security token included in the request is invalid.';
  return new AwsError(
    status,
    code.endsWith('Exception') ? 'UnrecognizedClientException' : 'InvalidClientTokenId',
    message,
  );
}

function mismatch({ unsigned: { status, code } }: SignedService): AwsError {
  const message =
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.';
  return new AwsError(
    status,
    code.endsWith('Exception') ? 'InvalidSignatureException' : 'SignatureDoesNotMatch',
    message,
  );
}
