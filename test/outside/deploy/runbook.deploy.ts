/**
 * Runs docs/runbook.md on a deployed stack. Each command of the page must show what the page
 * promises. If the emulator can simulate the incident of a section, the incident is caused first,
 * and repaired as the page says.
 */
import { strict as assert } from 'node:assert';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { code, page, section } from '../../documents/pages.ts';
import { type Ended, run } from '../../support/parts/command.ts';
import { type Account, type Deployment, openAccount } from './account.ts';
import { firingAlarms, runInSmallPages, setCredentials, setVariables } from './acts.ts';
import { openSiem } from './siem.ts';

const RUNBOOK = page('docs/runbook.md');

/** Expected output of commands of the page, by their first words. */
const SHOWN: Readonly<Record<string, readonly RegExp[]>> = {
  status: [
    /^acme: (healthy|unhealthy|paused|in progress)/,
    /^stream +state +last success/m,
    /^Lease {5}/m,
    /^SIEM {6}/m,
  ],
  doctor: [/^(ok|warn|fail) +aws-account/m, /^\d+ ok, \d+ warnings, \d+ failed/m],
  run: [/^stream +pages +read +forwarded/, /^The run took [\d.]+ s\.$/m],
  resync: [/^stream +pages +read +forwarded/],
  'confirm organization': [/^stream +pages +read +forwarded/],
  verify: [/^stream +/m],
};

/** Exit statuses of a command that has worked. 3 is a finding. */
const WORKED: readonly unknown[] = [0, 3];

/**
 * Commands that are not run: the first is about every connector, no withdrawals wait, and the
 * emulator cannot move messages.
 */
const LEFT_OUT = ['status --all', 'confirm withdrawals', 'aws sqs start-message-move-task'];

/** Incidents of the bounded run. */
const BOUNDED_INCIDENTS = ['credentials-refused', 'role-missing'];

interface Incident {
  cause(): Promise<unknown>;
  /** Expected output of the section's commands during the incident, by their first words. */
  readonly shows?: Readonly<Record<string, RegExp>>;
  /** Alarm that fires, where the emulator has the metric. */
  readonly fires?: string;
  /**
   * Repair by others, or by the CDK (reverting drift), which the emulator cannot do. By default the
   * commands of the section repair.
   */
  repair?(): Promise<unknown>;
}

let account: Account;
let acme: Deployment;
beforeAll(async () => {
  account = await openAccount();
  account.api.simulator.populate({ assets: 60, threats: 40, dnsBlocks: 20 });
  // The name of the connector on the page.
  acme = await account.deploy({ name: 'acme', enabled: false });
  await runInSmallPages(acme, account);
});
afterAll(async () => account[Symbol.asyncDispose]());

/** Incidents, by the section of the runbook that mends them. */
const INCIDENTS: Readonly<Record<string, Incident>> = {
  'stream-silent': {
    async cause() {
      const fault = { endpoint: 'threats', kind: 'status', status: 404, typeSuffix: 'request/not-found' } as const;
      account.api.simulator.setFaults([fault]);
      await fails();
    },
    shows: {
      status: /Failed \d+ s ago: threats, ApiRefusedError: The API answered 404/,
      doctor: /^fail +list-threats/m,
    },
    repair: async () => account.api.simulator.setFaults([]),
  },
  'credentials-refused': {
    cause: rotateSecret,
    fires: 'credentials-refused',
    shows: {
      doctor: /^fail +token/m,
      status: /CredentialsError: The token endpoint refused the client credentials/,
    },
    repair: () => setCredentials(acme, account),
  },
  'role-missing': {
    async cause() {
      account.api.simulator.account.roles.delete('threats:read');
      await fails();
    },
    fires: 'role-missing',
    shows: { doctor: /^fail +list-threats .*403 auth\/insufficient-role/m },
    repair: async () => account.api.simulator.account.roles.add('threats:read'),
  },
  'dead-letters': {
    async cause() {
      account.api.simulator.put('assets', { id: 'x'.repeat(6_000) });
      await runs();
    },
    fires: 'dead-letters',
    shows: { 'dead-letters list': /id-too-long/ },
  },
  'function-errors': {
    async cause() {
      await setVariables(acme, { STATE_TABLE: '' });
      await fails();
    },
    shows: { doctor: /^fail +settings/m },
    repair: () => setVariables(acme, { STATE_TABLE: acme.outputs['StateTableName']! }),
  },
  'siem-reader-stalled': {
    cause: runs,
    shows: { status: /^SIEM {6}[1-9]\d* objects waiting/m },
    async repair() {
      await (await openSiem(acme)).read();
      assert.match((await acme.ctl(['status'])).stdout, /^SIEM {6}0 objects waiting/m);
    },
  },
  'Rotate the secret': { cause: rotateSecret },
};

const walked = titles().filter(title => {
  const parts = partsOf(section(RUNBOOK, `## ${title}`));
  const isWalked = parts.some(({ commands, blocks }) => commands.length + blocks.length > 0);
  return isWalked && (!process.env['BOUNDED'] || BOUNDED_INCIDENTS.includes(title));
});

test('each incident belongs to a section of docs/runbook.md', () => {
  expect(titles()).toEqual(expect.arrayContaining(Object.keys(INCIDENTS)));
});

test.each(walked)('the commands of docs/runbook.md show and repair what their section says: %s', async title => {
  const incident = INCIDENTS[title];
  // Alarm sections repair below "Resolve". In other sections every command repairs.
  const [seen, resolving] = partsOf(section(RUNBOOK, `## ${title}`));
  await incident?.cause();
  if (incident?.fires) expect(await firingAlarms(acme)).toContain(incident.fires);
  await runPart(seen, incident);
  await incident?.repair?.();
  await runPart(resolving, incident);
  if (incident) await runs();
});

async function runPart({ commands, blocks }: Part, incident: Incident | undefined): Promise<void> {
  for (const words of commands) await runCommand(words, incident);
  for (const block of blocks) if (!LEFT_OUT.some(words => block.includes(words))) await runBlock(block);
}

async function runCommand(words: string, incident: Incident | undefined): Promise<void> {
  if (LEFT_OUT.includes(words)) return;
  const { clientId, clientSecret } = account.api.simulator.account;
  const credentials = { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
  const ended = await acme.ctl([...words.split(' '), ...(ASKS.test(words) ? ['--yes'] : [])], credentials);
  assert(WORKED.includes(ended.status), said(words, ended));
  const promised = [...Object.entries(SHOWN), ...Object.entries(incident?.shows ?? {})]
    .filter(([command]) => words.startsWith(command))
    .flatMap(([, lines]) => lines);
  for (const line of promised) assert.match(ended.stdout, line, said(words, ended));
}

/** Sections in the order of the page, those of alarms first. */
function titles(): string[] {
  return [...RUNBOOK.matchAll(/^## (.+)$/gm)].map(([, title]) => title!);
}

interface Part {
  /** Arguments behind `connectorctl`, each once. */
  readonly commands: readonly string[];
  /** Shell lines that call the AWS CLI. */
  readonly blocks: readonly string[];
}

function partsOf(text: string): [seen: Part, resolving: Part] {
  const part = (each = ''): Part => ({
    commands: [
      ...new Set([...each.matchAll(/(?:`|^ *)connectorctl ([^`\n#|"]+)/gm)].map(([, words]) => words!.trim())),
    ],
    blocks: code(each, 'sh').filter(block => /^(aws|output) /m.test(block)),
  });
  const [seen, resolving] = text.split('\n**Resolve.**');
  return [part(seen), part(resolving)];
}

const ASKS = /^(resync|confirm organization|dead-letters redrive)\b/;

/** Commands of the AWS CLI, with the lines that the page begins with. @throws AssertionError */
async function runBlock(block: string): Promise<void> {
  const { environment, python } = account;
  const [preamble = ''] = code(RUNBOOK, 'sh');
  // The AWS CLI 1 does not read the endpoint of SQS from the environment.
  const endpoint = `aws() { '${python}' -m awscli --endpoint-url "$AWS_ENDPOINT_URL" "$@"; }`;
  const place = { ...environment, AWS_DEFAULT_REGION: environment['AWS_REGION'] };
  const ended = await run('bash', ['-euc', `${endpoint}\n${preamble}\n${block}`], 120, { environment: place });
  assert.equal(ended.status, 0, said(block, ended));
}

function said(command: string, { status, stdout, stderr }: Ended): string {
  return `"${command}" ended with ${status}:\n${(stdout + stderr).slice(0, 3000)}`;
}

async function runs(): Promise<void> {
  expect((await acme.ctl(['run'])).status).toBe(0);
}

async function fails(): Promise<void> {
  expect((await acme.ctl(['run'])).status).toBe(1);
}

async function rotateSecret(): Promise<void> {
  account.api.simulator.account.rotateSecret();
  account.api.simulator.account.expireTokens();
  await fails();
}
