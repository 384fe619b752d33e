/**
 * A realm of its own in Keycloak, for as long as a test lasts: imported whole, then changed as its
 * operator would.
 */
import { randomUUID } from 'node:crypto';
import { part } from '../../running.ts';
import { ADMINISTRATOR } from '../parts.ts';

type Representation = Readonly<Record<string, unknown>> & { readonly id: string };

const ROLES = ['assets:read', 'threats:read', 'dns-blocks:read'] as const;
/**
 * Everything that must be encoded before it goes into a Basic header: what separates, what encodes,
 * what is no ASCII.
 */
export const CLIENT_ID = 'siem:süd+100%ключ';
export const CLIENT_SECRET = 'p+q%2F:é 鍵&=:🔑';

export interface Realm extends AsyncDisposable {
  readonly authUrl: string;
  /** The secret as Secrets Manager holds it. */
  readonly secret: string;
  /** @returns the new one, as Secrets Manager holds it */
  rotate(clientSecret: string): Promise<string>;
  enableClient(enabled: boolean): Promise<void>;
  enableServiceAccount(enabled: boolean): Promise<void>;
}

export async function createRealm(): Promise<Realm> {
  const realm = `organization-${randomUUID().slice(0, 8)}`;
  const { url } = part('keycloak');
  const call = administrator(url);
  await call('POST', '', realmOf(realm));
  const [client] = (await call(
    'GET',
    `/${realm}/clients?clientId=${encodeURIComponent(CLIENT_ID)}`,
  )) as Representation[];
  const path = `/${realm}/clients/${client!.id}`;
  const account = (await call('GET', `${path}/service-account-user`)) as Representation;
  const change = (to: object) => call('PUT', path, { ...client, ...to }).then(() => undefined);
  return {
    authUrl: `${url}/realms/${realm}`,
    secret: secretOf(CLIENT_SECRET),
    async rotate(clientSecret) {
      await change({ secret: clientSecret });
      return secretOf(clientSecret);
    },
    enableClient: enabled => change({ enabled }),
    async enableServiceAccount(enabled) {
      await call('PUT', `/${realm}/users/${account.id}`, { ...account, enabled });
    },
    [Symbol.asyncDispose]: () => call('DELETE', `/${realm}`).then(() => undefined),
  };
}

function secretOf(client_secret: string): string {
  return JSON.stringify({ client_id: CLIENT_ID, client_secret });
}

function realmOf(realm: string) {
  return {
    realm,
    enabled: true,
    accessTokenLifespan: 300,
    roles: { realm: ROLES.map(name => ({ name })) },
    clients: [{ clientId: CLIENT_ID, secret: CLIENT_SECRET, serviceAccountsEnabled: true, standardFlowEnabled: false }],
    users: [{ username: 'siem', enabled: true, serviceAccountClientId: CLIENT_ID, realmRoles: ROLES }],
  };
}

/** Calls of the administration, below its list of realms. */
function administrator(url: string) {
  const form = { grant_type: 'password', client_id: 'admin-cli', ...ADMINISTRATOR };
  const login = async (): Promise<string> => {
    const endpoint = `${url}/realms/master/protocol/openid-connect/token`;
    const answer = await fetch(endpoint, { method: 'POST', body: new URLSearchParams(form) });
    return ((await answer.json()) as { access_token: string }).access_token;
  };
  return async (method: string, path: string, body?: unknown): Promise<unknown> => {
    // The administrator's token lives for a minute only, so each call asks for its own.
    const headers = { authorization: `Bearer ${await login()}`, 'content-type': 'application/json' };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${url}/admin/realms${path}`, { method, headers, ...content });
    if (!answer.ok) throw new Error(`Keycloak answered ${answer.status} to ${method} ${path}`);
    return method === 'GET' ? answer.json() : undefined;
  };
}
