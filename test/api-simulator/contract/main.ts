import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '../../../bin/ctl/command.ts';
import { machineProxy, useProxy } from '../../../bin/machine-proxy.ts';
import { hasClientSecret, readClientSecret } from '../../../bin/terminal/client-secret.ts';
import { tokenEndpoint } from '../../../lambda/source/token.ts';
import { argumentsOrExit } from '../../../local/npm-command.ts';
import { type ContractTarget, checkRules } from './contract-client.ts';
import { RULES } from './rules.ts';

const { flags: options } = argumentsOrExit<Options>(describe);
useProxy(machineProxy(process.env));
if (hasClientSecret(process.env)) {
  // An error: the prompt got no answer, or Ctrl-C ended it.
  const secret = await readClientSecret(options, process.env).catch((error: Error) => error);
  if (secret instanceof Error) refuse(secret.message);
  else await run(secret);
} else {
  refuse('set CLIENT_SECRET, or run in a terminal to be asked for it');
}

function refuse(reason: string): void {
  console.error(`contract: ${reason}; nothing was sent.`);
  process.exitCode = 2;
}

async function run(secret: string): Promise<void> {
  const counts = new Map<string, number>();
  for await (const { rule, result, reason } of checkRules(RULES, target(secret))) {
    counts.set(result, (counts.get(result) ?? 0) + 1);
    console.log(
      `${result.padEnd(13)} ${rule.id.padEnd(16)} ${rule.words}${reason ? `\n${' '.repeat(31)}${reason}` : ''}`,
    );
  }
  console.log([...counts].map(([result, count]) => `${count} ${result}`).join(', '));
  process.exitCode = counts.has('broken') ? 1 : 0;
}

function target(secret: string): ContractTarget {
  const { baseUrl, authUrl, clientId, dnsBlocksPath, maxPages, waitForExpiry } = options;
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    tokenUrl: tokenEndpoint(authUrl),
    clientId,
    clientSecret: secret,
    dnsBlocksPath,
    threatAssetMember: options.threatAssetMember,
    maxPages,
    fetch: request => fetch(request, { signal: AbortSignal.timeout(60_000) }),
    sleep,
    letTokenExpire: waitForExpiry ? () => sleep(301_000) : undefined,
  };
}

interface Options {
  baseUrl: string;
  authUrl: string;
  clientId: string;
  dnsBlocksPath?: string;
  threatAssetMember: string;
  maxPages: number;
  waitForExpiry: boolean;
}

function describe(): Command {
  return new Command('npm run contract --')
    .description(
      `Checks a tenant of the Security Data External API against its specification, reading only. Exit 1 if a rule is broken. The client secret comes from CLIENT_SECRET or a hidden prompt.`,
    )
    .requiredOption('--base-url <url>', 'base URL of the API', secureUrl)
    .requiredOption('--auth-url <url>', 'URL of the realm or of the token endpoint', secureUrl)
    .requiredOption('--client-id <id>', 'client id of the service account')
    .option('--dns-blocks-path <path>', 'path of the DNS block list; without it that list is not checked')
    .option('--threat-asset-member <name>', 'member of a threat that names its asset', 'asset_id')
    .option('--max-pages <n>', 'pages of 500 rows to read of each stream', wholeNumber({ min: 1 }), 200)
    .option('--wait-for-expiry', 'wait five minutes to see a token expire', false);
}

/** Plain http is for this machine only: the secret and the token travel in it. */
function secureUrl(text: string): string {
  const url = URL.parse(text);
  const local = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url?.protocol === 'https:' || local) return text;
  throw new InvalidArgumentError('It must be an https URL (http to this machine alone).');
}
