/** The protocols of the services that the function calls. */
import type { Protocol } from './http-service.ts';

/** Members with bytes: of attributes in DynamoDB, and of records in Firehose. */
const BYTES = ['B', 'Data'];

/**
 * The protocol of DynamoDB, Firehose and Secrets Manager, in which bytes are base64 and times are
 * numbers.
 */
export const JSON_PROTOCOL: Protocol = {
  read({ headers, body }) {
    const [, action = ''] = String(headers['x-amz-target']).split('.');
    const input = JSON.parse(body.toString(), (name, value) =>
      BYTES.includes(name) && typeof value === 'string' ? Buffer.from(value, 'base64') : value,
    );
    return { action, input };
  },
  write: output => ({ status: 200, body: JSON.stringify(output, writtenMember) }),
  writeError: ({ status, code, message }) => ({ status, body: JSON.stringify({ __type: code, message }) }),
};

/**
 * Writes bytes as base64 and times as seconds since 1970. Both have methods of their own, which
 * write something else.
 */
function writtenMember(this: Readonly<Record<string, unknown>>, name: string, member: unknown): unknown {
  const value = this[name];
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return value instanceof Date ? value.getTime() / 1000 : member;
}

const OBJECT_ACTIONS: Readonly<Record<string, string>> = { PUT: 'PutObject', GET: 'GetObject', DELETE: 'DeleteObject' };

/** The protocol of S3 for single objects, whose bucket is in the path. */
export const S3_PROTOCOL: Protocol = {
  read({ method, target, body }) {
    const { pathname, searchParams } = new URL(target, 'http://s3');
    const [, bucket = '', ...key] = pathname.split('/');
    const input = {
      Bucket: bucket,
      Key: decodeURIComponent(key.join('/')),
      Body: body,
      VersionId: searchParams.get('versionId') ?? undefined,
    };
    return { action: OBJECT_ACTIONS[method] ?? method, input };
  },
  async write({ Body, ETag, VersionId }) {
    const body = Body && Buffer.from(await Body.transformToByteArray());
    return {
      status: 200,
      body,
      headers: { ...(ETag && { etag: ETag }), ...(VersionId && { 'x-amz-version-id': VersionId }) },
    };
  },
  writeError: ({ status, code, message }) => ({
    status,
    body: `<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  }),
};
