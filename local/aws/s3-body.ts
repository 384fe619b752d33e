import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { unchunk } from './aws-chunked.ts';
import { AwsError } from './aws-error.ts';
import type { WireRequest } from './wire.ts';

/** Checksum of the content as S3 writes it: base64 of the big-endian bytes. */
export function crc32Base64(content: Buffer): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(content));
  return bytes.toString('base64');
}

const CHECKSUMS: Readonly<Record<string, (content: Buffer) => string>> = {
  'x-amz-checksum-crc32': crc32Base64,
  'x-amz-checksum-sha1': content => createHash('sha1').update(content).digest('base64'),
  'x-amz-checksum-sha256': content => createHash('sha256').update(content).digest('base64'),
};

/** The content that a PutObject carries, unchunked, with every checksum that came with it found to be right. */
export function readContent({ headers, body }: WireRequest): Buffer {
  const chunked = String(headers['x-amz-content-sha256'] ?? '').startsWith('STREAMING-');
  const { content, trailers } = chunked ? unchunk(body) : { content: body, trailers: new Map<string, string>() };
  checkLength(headers['x-amz-decoded-content-length'], content);
  for (const [name, value] of [...Object.entries(headers), ...trailers]) {
    if (name.startsWith('x-amz-checksum-') && name !== 'x-amz-checksum-algorithm') checkChecksum(name, value, content);
  }
  for (const name of String(headers['x-amz-trailer'] ?? '')
    .split(',')
    .filter(Boolean)) {
    if (!trailers.has(name.trim())) throw new AwsError(400, 'MalformedTrailerError', `The trailer ${name} is missing.`);
  }
  checkDigest(headers['content-md5'], createHash('md5').update(content).digest('base64'), 'BadDigest');
  const sha256 = headers['x-amz-content-sha256'];
  if (/^[0-9a-f]{64}$/.test(String(sha256))) {
    checkDigest(sha256, createHash('sha256').update(content).digest('hex'), 'XAmzContentSHA256Mismatch');
  }
  return content;
}

function checkLength(announced: string | string[] | undefined, content: Buffer): void {
  if (announced === undefined || Number(announced) === content.length) return;
  throw new AwsError(400, 'IncompleteBody', 'The content is not as long as x-amz-decoded-content-length says.');
}

function checkChecksum(name: string, value: string | string[] | undefined, content: Buffer): void {
  const checksum = CHECKSUMS[name];
  if (!checksum) throw new AwsError(501, 'NotImplemented', `${name} is not among the checksums of this endpoint.`);
  checkDigest(value, checksum(content), 'BadDigest');
}

function checkDigest(given: string | string[] | undefined, actual: string, code: string): void {
  if (given === undefined || given === actual) return;
  throw new AwsError(400, code, 'The checksum that came with the content is not that of the content.');
}
