import { expect, test } from '@jest/globals';
import { machineProxy } from '../../bin/machine-proxy.ts';

const LOCAL = 'localhost,127.0.0.1,::1';
const PROXY = 'http://proxy.example:3128';

test.each([
  ['an empty environment', {}],
  ['a proxy for http alone', { HTTP_PROXY: PROXY }],
  ['an empty variable', { HTTPS_PROXY: '' }],
])('an environment without a proxy for https (%s) means direct connections', (_, environment) => {
  expect(machineProxy(environment)).toBeUndefined();
});

test.each([
  ['the upper-case variable', { HTTPS_PROXY: PROXY }, PROXY],
  [
    'the lower-case variable, which takes precedence',
    { HTTPS_PROXY: 'http://other.example', https_proxy: PROXY },
    PROXY,
  ],
  ['a proxy with user and password', { HTTPS_PROXY: 'http://u:p@proxy.example' }, 'http://u:p@proxy.example'],
  ['a proxy without scheme, as curl takes it', { HTTPS_PROXY: 'proxy.example:3128' }, PROXY],
])('an environment with %s sets the proxy of this machine', (_, environment, url) => {
  expect(machineProxy(environment)).toEqual({ HTTPS_PROXY: url, NO_PROXY: LOCAL });
});

test.each([
  ['a.example', '.a.example'],
  ['*.a.example, .b.example', '.a.example,.b.example'],
  ['a.example:8443', 'a.example:8443'],
  ['*', '*'],
  ['10.1.2.3 10.0.0.0-10.0.0.9', '10.1.2.3,10.0.0.0-10.0.0.9'],
  ['[::2]', '[::2]'],
])('the hosts "%s" in NO_PROXY and their subdomains are reached directly', (hosts, written) => {
  const NO_PROXY = `${LOCAL},${written}`;
  expect(machineProxy({ HTTPS_PROXY: PROXY, NO_PROXY: hosts })).toEqual({ HTTPS_PROXY: PROXY, NO_PROXY });
  expect(machineProxy({ HTTPS_PROXY: PROXY, NO_PROXY: 'other.example', no_proxy: hosts })).toMatchObject({ NO_PROXY });
});
