import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import * as v from 'valibot';
import { machineProxy, useProxy } from '../../../bin/machine-proxy.ts';
import { hasClientSecret, readClientSecret } from '../../../bin/terminal/client-secret.ts';
import { AUTH_URL_SCHEMA, BASE_URL_SCHEMA } from '../../../lambda/addresses.ts';
import { tokenEndpoint } from '../../../lambda/source/token.ts';
import { readArgumentsOrExit, wholeNumberParser } from '../../../local/npm-command.ts';
import { ContractClient, type ContractTarget } from './contract-client.ts';
import { checkRule } from './rule.ts';
import { RULES } from './rules.ts';

const NO_SECRET = 'the client secret is missing: set CLIENT_SECRET, or run in a terminal to be asked for it';

const { flags } = readArgumentsOrExit<Options>(describe, () => (hasClientSecret(process.env) ? [] : [NO_SECRET]));
useProxy(machineProxy(process.env));
try {
  await check(await readClientSecret(flags, process.env));
} catch (error) {
  // The prompt got no answer, or Ctrl-C ended it.
  console.error((error as Error).message);
  process.exitCode = 2;
}

async function check(secret: string): Promise<void> {
  const client = new ContractClient(target(secret));
  const counts = new Map<string, number>();
  for (const rule of RULES) {
    const { result, reason } = await checkRule(rule, client);
    counts.set(result, (counts.get(result) ?? 0) + 1);
    console.log(`${result.padEnd(9)} ${rule.id.padEnd(9)} ${rule.words}`);
    if (reason !== undefined) console.log(`${' '.repeat(20)}${reason}`);
  }
  console.log([...counts].map(([result, count]) => `${count} ${result}`).join(', '));
  process.exitCode = counts.has('broken') ? 1 : 0;
}

function target(clientSecret: string): ContractTarget {
  const { baseUrl, authUrl, waitForExpiry, ...options } = flags;
  return {
    ...options,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    tokenUrl: tokenEndpoint(authUrl),
    clientSecret,
    fetch: send,
    letTokenExpire: waitForExpiry ? () => sleep(301_000) : undefined,
  };
}

/** Sends a request, again after 429 and 503, which are not the contract's subject. */
async function send(request: Request, attempts = 5): Promise<Response> {
  const response = await fetch(request.clone(), { signal: AbortSignal.timeout(60_000) });
  if (![429, 503].includes(response.status) || attempts === 1) return response;
  await response.body?.cancel();
  await sleep(1000 * Math.min(Number(response.headers.get('retry-after')) || 2, 60));
  return send(request, attempts - 1);
}

interface Options extends Pick<ContractTarget, 'clientId' | 'dnsBlocksPath' | 'threatAssetMember' | 'maxPages'> {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly waitForExpiry: boolean;
}

function describe(): Command {
  return new Command('npm run contract --')
    .description(
      `Checks a tenant of the Security Data External API against its specification, reading only. Exit 1 if a rule is broken. The client secret comes from CLIENT_SECRET or a hidden prompt.`,
    )
    .requiredOption('--base-url <url>', 'base URL of the API', addressOf(BASE_URL_SCHEMA))
    .requiredOption('--auth-url <url>', 'URL of the realm or of the token endpoint', addressOf(AUTH_URL_SCHEMA))
    .requiredOption('--client-id <id>', 'client id of the service account')
    .option('--dns-blocks-path <path>', 'path of the DNS block list; without it that list is not checked')
    .option('--threat-asset-member <name>', 'member of a threat that names its asset', 'asset_id')
    .option('--max-pages <n>', 'pages of 500 rows to read of each stream', wholeNumberParser(1, 1_000_000), 200)
    .option('--wait-for-expiry', 'wait five minutes to see a token expire', false);
}

function addressOf(rule: typeof BASE_URL_SCHEMA): (text: string) => string {
  return text => {
    const { issues } = v.safeParse(rule, text);
    if (issues) throw new InvalidArgumentError(`It ${issues[0].message}.`);
    return text;
  };
}
