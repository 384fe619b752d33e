/** The embedded platform as a function behind a URL. */
import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { givenPlatform, type Tenant } from './given-platform.ts';

const { TENANT: tenant = '{}' } = process.env;
const platform = givenPlatform(JSON.parse(tenant) as Tenant);

export async function handler(event: LambdaFunctionURLEvent): Promise<LambdaFunctionURLResult> {
  const { rawPath, rawQueryString, headers, body = '', isBase64Encoded, requestContext } = event;
  const target = rawQueryString === '' ? rawPath : `${rawPath}?${rawQueryString}`;
  const header = (name: string): string | undefined => headers[name];
  const text = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').toString();
  const { answer } = await platform.serve({ method: requestContext.http.method, target, header, body: text });
  return { statusCode: answer.status, headers: { ...answer.headers }, body: answer.body };
}
