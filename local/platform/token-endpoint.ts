import type { Account } from './account.ts';
import { type Authority, TOKEN_SECONDS } from './authority.ts';
import type { Answer, Call } from './problem.ts';

/** OAuth's own error answer (RFC 6749 §5.2): the token endpoint knows no problem documents. */
function oauthError(status: number, error: string, description: string): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify({ error, error_description: description }),
  };
}

/** Serves the token endpoint: client credentials only, the client in a Basic header or, overriding it, in the form. */
export async function answerTokenCall(call: Call, account: Account, authority: Authority): Promise<Answer> {
  if (call.method !== 'POST') {
    const refusal = oauthError(405, 'invalid_request', 'The token endpoint takes POST only.');
    return { ...refusal, headers: { ...refusal.headers, allow: 'POST' } };
  }
  const form = readForm(call);
  if (!form)
    return oauthError(400, 'invalid_request', 'Send an application/x-www-form-urlencoded body, each field once.');
  const refusal = refuseGrant(form) ?? refuseClient(form, call, account);
  if (refusal) return refusal;
  const accessToken = await authority.issue();
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify({ access_token: accessToken, expires_in: TOKEN_SECONDS, token_type: 'Bearer' }),
  };
}

function readForm(call: Call): Map<string, string> | undefined {
  const contentType = call.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (contentType !== 'application/x-www-form-urlencoded') return undefined;
  const fields = [...new URLSearchParams(call.body)];
  const form = new Map(fields);
  return form.size === fields.length ? form : undefined;
}

function refuseGrant(form: ReadonlyMap<string, string>): Answer | undefined {
  const grant = form.get('grant_type');
  if (grant === undefined) return oauthError(400, 'invalid_request', 'grant_type is missing.');
  if (grant === 'client_credentials') return undefined;
  return oauthError(400, 'unsupported_grant_type', 'The only grant is client_credentials.');
}

function refuseClient(form: ReadonlyMap<string, string>, call: Call, account: Account): Answer | undefined {
  const basic = readBasic(call.header('authorization'));
  if (basic === 'undecodable') {
    return oauthError(400, 'unauthorized_client', 'The client credentials are not form-urlencoded.');
  }
  const id = form.get('client_id') ?? basic?.id;
  const secret = form.get('client_secret') ?? basic?.secret;
  if (id !== account.clientId) return oauthError(401, 'invalid_client', 'Unknown client, or no client authentication.');
  if (account.revoked) return oauthError(401, 'invalid_request', 'The service account is disabled.');
  if (secret === account.clientSecret) return undefined;
  return oauthError(401, 'unauthorized_client', 'Wrong client credentials.');
}

/** Id and secret are form-urlencoded separately before they are joined and encoded (RFC 6749 §2.3.1). */
function readBasic(authorization: string | undefined): { id: string; secret: string } | 'undecodable' | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization ?? '')?.[1];
  if (!encoded) return undefined;
  const pair = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString());
  try {
    return pair ? { id: formDecode(pair[1]!), secret: formDecode(pair[2]!) } : undefined;
  } catch {
    return 'undecodable';
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
