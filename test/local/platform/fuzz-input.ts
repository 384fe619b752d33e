import fc from 'fast-check';
import { basic, GRANT } from './tenant.ts';

/** Texts that break careless code. */
export const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '..',
    '.',
    '%',
    '%zz',
    '%00',
    '%2F',
    '//',
    '\\',
    'a'.repeat(3000),
    '__proto__',
    'constructor',
    '?',
    '#',
    '\ud800',
    '1e3',
    '-0',
  ),
);
const segment = fc.oneof(
  fc.constantFrom('v1', 'assets', 'threats', 'related', 'asset-1', 'dns-blocks', 'realms'),
  nasty,
);
const path = fc.array(segment, { maxLength: 5 }).map(parts => `/${parts.join('/')}`);
const query = fc.array(
  fc.tuple(
    fc.constantFrom('limit', 'cursor', 'organization_id', '', '__proto__'),
    fc.oneof(nasty, fc.integer().map(String)),
  ),
  { maxLength: 3 },
);
const knownPath = fc.constantFrom(
  '/v1/assets',
  '/v1/threats',
  '/v1/dns-blocks',
  '/v1/assets/asset-1',
  '/v1/assets/asset-1/related',
);
export const target = fc.tuple(fc.oneof(path, knownPath), query).map(([start, pairs]) => {
  return pairs.length === 0 ? start : `${start}?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`;
});
export const method = fc.oneof(
  { weight: 4, arbitrary: fc.constant('GET') },
  { weight: 1, arbitrary: fc.constantFrom('POST', 'HEAD', 'PUT', 'x', '') },
);
/** `good` stands for a good token. */
export const authorization = fc.oneof(
  { weight: 4, arbitrary: fc.constant('good') },
  { weight: 1, arbitrary: fc.option(nasty, { nil: undefined }) },
);

/** Bodies of token requests. */
export const tokenForm = fc.oneof(
  nasty,
  fc.constant(new URLSearchParams(GRANT).toString()),
  fc
    .dictionary(fc.constantFrom('grant_type', 'client_id', 'client_secret', 'scope'), nasty)
    .map(fields => new URLSearchParams(fields).toString()),
);
/** Authorization headers of token requests. */
export function credential(clientId: string, clientSecret: string): fc.Arbitrary<string> {
  return fc.oneof(
    nasty,
    fc.constant(basic(clientId, clientSecret)),
    nasty.map(text => `Basic ${Buffer.from(text).toString('base64')}`),
  );
}

export const contentType = fc.oneof(
  { weight: 4, arbitrary: fc.constant('application/x-www-form-urlencoded') },
  { weight: 1, arbitrary: nasty },
);

/** A line of `rawRequest` in whose place the test puts a good token. */
export const AUTHORIZED = 'authorization: @';

const line = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('GET', 'POST', 'OPTIONS', 'BREW'),
      target,
      fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2', ''),
    )
    .map(parts => parts.join(' ')),
  nasty,
);
const header = fc.oneof(
  fc.constantFrom(
    'Host: x',
    'Host:',
    'Connection: close',
    'Connection: Upgrade',
    'Upgrade: h2c',
    'Content-Length: 5',
    'Content-Length: -1',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: x',
    'Expect: 100-continue',
    'Expect: x',
  ),
  fc.constant(AUTHORIZED),
  nasty,
);
/** What a broken client may write on a connection. */
export const rawRequest = fc
  .tuple(line, fc.array(header, { maxLength: 6 }), nasty)
  .map(([first, headers, body]) => [first, ...headers, '', body].join('\r\n'));
