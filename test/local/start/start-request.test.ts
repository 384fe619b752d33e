import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { defaultName, nameProblems, readRequest, StartProblemsError } from '../../../local/start/options.ts';
import { functionEnvironment } from '../../../local/start/run.ts';
import { readSource, sourceOfRun } from '../../../local/start/source.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';

const ADDRESSES = ['--base-url', 'https://api.acme.example/', '--auth-url', 'https://login.acme.example'];
const TENANT = [...ADDRESSES, '--client-id', 'c'];

const request = (...args: string[]) => readRequest(args, {}, true);

function problemsOf(...args: string[]): readonly string[] {
  try {
    request(...args);
  } catch (error) {
    if (error instanceof StartProblemsError) return error.problems;
    throw error;
  }
  return [];
}

describe('the options', () => {
  test('the options --filter and --omit become settings of the function', () => {
    const filters = ['--filter', "threats=severity != 'low'", '--filter', 'dnsBlocks=count > `1`'];
    const { settings } = request(...filters, '--omit', 'assets=contact.email,name');
    expect(JSON.parse(settings['FILTERS']!)).toEqual({ threats: "severity != 'low'", dnsBlocks: 'count > `1`' });
    expect(JSON.parse(settings['OMIT']!)).toEqual({ assets: ['contact.email', 'name'] });
  });

  test('invalid options are reported together with invalid settings', () => {
    expect(problemsOf('--page-limit', '900', '--change', 'x', '--omit', 'assets=id', '--filter', 'foo=1')).toEqual([
      expect.stringContaining("'--change <n>'"),
      expect.stringContaining("'--filter <stream=expression>'"),
      expect.stringContaining('--page-limit must be'),
      expect.stringContaining('--omit assets.0 must not be'),
    ]);
  });

  test("a tenant's options become settings of the function", () => {
    const { settings, name } = request(...TENANT, '--dns-blocks-path', '/v1/dns', '--page-limit', '20');
    expect(name).toBe('api-acme-example');
    expect(settings).toEqual({
      API_BASE_URL: 'https://api.acme.example/',
      AUTH_URL: 'https://login.acme.example',
      CONNECTOR_NAME: 'api-acme-example',
      DNS_BLOCKS_PATH: '/v1/dns',
      PAGE_LIMIT: '20',
    });
  });

  test.each([
    [['--name', 'Prod_1'], '--name must be lower-case letters'],
    [['--filter', 'threats=a =='], '--filter threats is not an expression of JMESPath: '],
    [['--filter', 'threats='], 'It must begin with assets=, threats=, dnsBlocks='],
    [['--filter', 'assets=a', '--filter', 'assets=b'], 'Join the expressions of a stream'],
    [[...TENANT, '--filter', 'dnsBlocks=a'], '--filter dnsBlocks has no effect'],
    [['--rows-member', 'data'], '--base-url is missing, which a real tenant needs'],
    [[...TENANT, '--seed', '3'], '--seed is about the embedded API simulator'],
    [[...TENANT, '--auth-url', 'https://u:p@login.acme.example'], '--auth-url must hold no user, password'],
    [['--client-secret=hunter2'], 'the client secret cannot be an argument'],
  ])('the arguments %j are refused: %s', (args, problem) => {
    expect(problemsOf(...args).join('\n')).toContain(problem);
    expect(problemsOf(...args).join('\n')).not.toMatch(/hunter2|u:p/);
  });

  test('a run is refused when npm consumed --reset, because the run would not reset', () => {
    expect(() => readRequest([], { npm_config_reset: 'true' }, true)).toThrow('as in "npm start -- --reset"');
  });

  test('a tenant without a client secret is refused', () => {
    expect(() => readRequest(TENANT, {}, false)).toThrow('the client secret is missing: set CLIENT_SECRET');
  });

  test('a valid name is derived from every base URL', () => {
    const urls = ['http://127.0.0.1:80', `https://${'a.b-'.repeat(12)}c`, ''];
    expect(urls.flatMap(url => nameProblems(defaultName(url)))).toEqual([]);
  });
});

describe('the source of a state folder', () => {
  test('later runs continue with the API simulator of the first run, even if the clock is set back', () => {
    const first = sourceOfRun(request('--seed', '7', '--assets', '10'), undefined, 1_000);
    const second = sourceOfRun(request('--change', '5'), first, 2_000);
    const third = sourceOfRun(request('--seed', '7', '--change', '2'), second, 1_500);
    expect(first.tenantData).toMatchObject({ seed: 7, assets: 10, startedAt: 1_000, changes: [] });
    expect(third.tenantData!.changes).toEqual([
      { at: 2_000, count: 5 },
      { at: 2_005, count: 2 },
    ]);
    expect(sourceOfRun(request(), third, 9_000)).toEqual(third);
  });

  test('a state folder whose path is a file is refused with a remedy', async () => {
    await using folder = await temporaryFolder('start-');
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    const refused = `${join(file, 'source.json')} cannot be read (ENOTDIR): choose another --state-folder`;
    await expect(readSource(file)).rejects.toMatchObject({ name: 'StartProblemsError', problems: [refused] });
  });

  test('a state folder of one tenant is refused for any other tenant, client or simulator', () => {
    const first = sourceOfRun(request(...TENANT), undefined, 0);
    for (const other of [[...TENANT, '--base-url', 'https://api.other.example'], [...TENANT, '--client-id', 'x'], []]) {
      const next = () => sourceOfRun(request(...other), first, 1);
      expect(next).toThrow(/has been filled .*Choose another --name .*--reset/);
    }
  });

  test('a run with another seed or number of rows than the first run is refused', () => {
    const first = sourceOfRun(request('--seed', '7', '--assets', '10'), undefined, 0);
    const other = () => sourceOfRun(request('--seed', '9', '--assets', '3'), first, 1);
    expect(other).toThrow('--seed was 7 when "local" began');
    expect(other).toThrow('--assets was 10 when "local" began');
  });

  test('a slash at the end of the base URL does not change the tenant', () => {
    const first = sourceOfRun(request(...TENANT), undefined, 0);
    const again = request(...TENANT, '--base-url', 'https://api.acme.example');
    expect(sourceOfRun(again, first, 1)).toEqual(first);
  });
});

test("the function gets only proxy and certificates from the user's environment", () => {
  const own = Object.keys(functionEnvironment({}, {}));
  const secrets = { AWS_PROFILE: 'prod', DNS_BLOCKS_PATH: '/x', CLIENT_SECRET: 's', PATH: '/' };
  const network = { HTTPS_PROXY: 'http://p', NODE_EXTRA_CA_CERTS: '/ca.pem' };
  const added = Object.keys(functionEnvironment({}, { ...secrets, ...network })).filter(name => !own.includes(name));
  expect(added.sort()).toEqual(['HTTPS_PROXY', 'NODE_EXTRA_CA_CERTS', 'NODE_USE_ENV_PROXY', 'NO_PROXY']);
  expect(own.filter(name => name in secrets)).toEqual([]);
});
