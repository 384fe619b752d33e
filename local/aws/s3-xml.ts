import type { AwsError } from './aws-error.ts';
import { element, XML_DECLARATION } from './xml.ts';

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly modified: Date;
  readonly etag: string;
}

export interface Listing {
  readonly bucket: string;
  readonly prefix: string;
  readonly delimiter: string;
  readonly maxKeys: number;
  readonly objects: readonly ListedObject[];
  readonly commonPrefixes: readonly string[];
  /** Where the next page goes on; absent on the last one. */
  readonly nextToken?: string;
}

export function errorXml({ code, message }: AwsError, resource: string): string {
  const members = element('Code', code) + element('Message', message) + element('Resource', resource);
  return `${XML_DECLARATION}<Error>${members}${element('RequestId', crypto.randomUUID())}</Error>`;
}

export function listingXml(listing: Listing): string {
  const { bucket, prefix, delimiter, maxKeys, objects, commonPrefixes, nextToken } = listing;
  const head = [
    element('Name', bucket),
    element('Prefix', prefix),
    delimiter ? element('Delimiter', delimiter) : '',
    element('MaxKeys', String(maxKeys)),
    element('KeyCount', String(objects.length + commonPrefixes.length)),
    element('IsTruncated', String(nextToken !== undefined)),
    nextToken === undefined ? '' : element('NextContinuationToken', nextToken),
  ];
  const contents = objects.map(object => `<Contents>${contentsXml(object)}</Contents>`);
  const prefixes = commonPrefixes.map(each => `<CommonPrefixes>${element('Prefix', each)}</CommonPrefixes>`);
  const body = [...head, ...contents, ...prefixes].join('');
  return `${XML_DECLARATION}<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${body}</ListBucketResult>`;
}

function contentsXml({ key, size, modified, etag }: ListedObject): string {
  const members = [
    element('Key', key),
    element('LastModified', modified.toISOString()),
    element('ETag', etag),
    element('Size', String(size)),
    element('StorageClass', 'STANDARD'),
  ];
  return members.join('');
}
