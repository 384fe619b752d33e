/**
 * Runs docs/runbook.md on a deployed stack. Each command of the page must show what the page promises. If
 * the emulator can simulate the incident of a section, the incident is caused first, and repaired as the page says.
 */
import { strict as assert } from 'node:assert';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { code, page, section } from '../../documents/pages.ts';
import { type Ended, run } from '../../support/parts/command.ts';
import type { Account, Deployment } from './account.ts';
import { alarmsIn, setCredentials, setVariables } from './acts.ts';
import { createReader, openSiem } from './siem.ts';
import type { Story } from './story.ts';

const RUNBOOK = page('docs/runbook.md');

/** Expected output of each command of the page, by its first words. Status 3 is a finding. */
const SHOWN: Readonly<Record<string, { readonly statuses: readonly number[]; readonly lines: readonly RegExp[] }>> = {
  status: {
    statuses: [0, 3],
    lines: [
      /^acme: (healthy|unhealthy|paused|in progress)/,
      /^stream +state +last success/m,
      /^Lease {5}/m,
      /^SIEM {6}/m,
    ],
  },
  doctor: { statuses: [0, 3], lines: [/^(ok|warn|fail) +aws-account/m, /^\d+ ok, \d+ warnings, \d+ failed/m] },
  run: { statuses: [0], lines: [/^stream +pages +read +forwarded/, /^The run took [\d.]+ s\.$/m] },
  resync: { statuses: [0], lines: [/^stream +pages +read +forwarded/] },
  'confirm organization': { statuses: [0], lines: [/^stream +pages +read +forwarded/] },
  verify: { statuses: [0, 3], lines: [/^stream +/m] },
  pause: { statuses: [0], lines: [/./] },
  resume: { statuses: [0], lines: [/./] },
  'set-credentials': { statuses: [0], lines: [/./] },
  'dead-letters list': { statuses: [0, 3], lines: [/./] },
  'dead-letters redrive': { statuses: [0, 3], lines: [/./] },
};

/** Commands that are not run, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'status --all': 'it is about every connector',
  'confirm withdrawals': 'none wait',
  'aws sqs start-message-move-task': 'the emulator lacks StartMessageMoveTask',
};

interface Incident {
  /** Whether it is part of the bounded run. */
  readonly bounded?: boolean;
  cause(): Promise<unknown>;
  /** Expected output of the section's commands during the incident, by their first words. */
  readonly shows?: Readonly<Record<string, RegExp>>;
  /** Alarm that fires, where the emulator has the metric. */
  readonly fires?: string;
  /** Repair by others, or by the CDK (reverting drift), which the emulator cannot do. By default the commands of the section repair. */
  repair?(): Promise<unknown>;
  /** The emulator does not support the repair of the page. */
  readonly unrepaired?: true;
}

export async function runbook(account: Account, { step, note, bounded }: Story): Promise<void> {
  const { simulator } = account.api;
  simulator.populate({ assets: 60, threats: 40, dnsBlocks: 20 });
  const acme = await step('bootstrap, deploy, set-credentials, run', async () => {
    await account.bootstrap();
    // Pages are smaller than lists, so that there are cursors.
    const deployed = await account.deploy();
    await setVariables(deployed, { PAGE_LIMIT: '20' });
    await deployed.json(['pause']);
    await setCredentials(deployed, account);
    await deployed.json(['run']);
    return deployed;
  });
  const incidents = incidentsOf(account, acme);
  const begun = performance.now();
  const walked = { sections: 0, commands: 0, incidents: 0 };
  for (const title of titles()) {
    const incident = incidents[title];
    // Alarm sections repair below "Resolve". In other sections every command repairs.
    const [seen, resolving] = partsOf(section(RUNBOOK, `## ${title}`));
    const count = [seen, resolving].flatMap(part => [...part.commands, ...part.blocks]).length;
    if (count === 0 || (bounded && !incident?.bounded)) continue;
    await step(`${title}${incident ? `: caused, seen${incident.unrepaired ? '' : ', repaired'}` : ''}`, async () => {
      await incident?.cause();
      if (incident?.fires)
        assert((await alarmsIn('ALARM', acme)).includes(incident.fires), `${incident.fires} is silent`);
      await runPart(seen, incident);
      await incident?.repair?.();
      await runPart(resolving, incident);
      if (incident) assert.equal((await acme.ctl(['run'])).status, 0, 'A run fails after the repair.');
    });
    walked.sections += 1;
    walked.commands += count;
    walked.incidents += incident ? 1 : 0;
  }
  await step('the whole walk', async () => {
    note(
      `${walked.sections} sections, ${walked.commands} commands, ${walked.incidents} incidents, ${seconds(begun)} s`,
    );
  });
  assert(bounded || (walked.sections >= 15 && walked.incidents >= 8), JSON.stringify(walked));

  async function runPart({ commands, blocks }: Part, incident: Incident | undefined): Promise<void> {
    for (const words of commands) await runCommand(words, incident);
    for (const block of blocks) {
      const [left, reason] = Object.entries(LEFT_OUT).find(([words]) => block.includes(words)) ?? [];
      if (reason) note(`${left}: not run, because ${reason}`);
      else await runBlock(account, block);
    }
  }

  async function runCommand(words: string, incident: Incident | undefined): Promise<void> {
    const left = LEFT_OUT[words] ?? LEFT_OUT[words.split(' ')[0]!];
    if (left) return note(`${words}: not run, because ${left}`);
    const ended = await acme.ctl(typed(words), credentialsOf(account));
    const [name, { statuses, lines }] = Object.entries(SHOWN).find(([known]) => words.startsWith(known))!;
    assert(statuses.includes(ended.status as number), said(words, ended));
    const promised = [...lines, ...(incident?.shows?.[name] ? [incident.shows[name]] : [])];
    for (const line of promised) assert.match(ended.stdout, line, said(words, ended));
  }
}

/** Sections in the order of the page, those of alarms first. */
function titles(): string[] {
  return [...RUNBOOK.matchAll(/^## (.+)$/gm)].map(([, title]) => title!);
}

interface Part {
  /** Arguments behind `connectorctl`, each once. */
  readonly commands: readonly string[];
  /** Of the AWS CLI. */
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

/** The arguments, with --yes. */
function typed(words: string): string[] {
  const args = words.split(' ');
  return ASKS.test(words) ? [...args, '--yes'] : args;
}

function credentialsOf({ api: { simulator } }: Account): Readonly<Record<string, string>> {
  const { clientId, clientSecret } = simulator.account;
  return { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
}

/** Commands of the AWS CLI, with the lines that the page begins with. @throws AssertionError */
export async function runBlock({ environment, python }: Account, block: string): Promise<void> {
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

function seconds(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(0);
}

/** By section. */
function incidentsOf(account: Account, acme: Deployment): Readonly<Record<string, Incident>> {
  const { simulator } = account.api;
  const sqs = new SQSClient();
  const fails = async () =>
    assert.equal((await acme.ctl(['run'])).status, 1, 'A run succeeds although the incident lasts.');
  const runs = async () => assert.equal((await acme.ctl(['run'])).status, 0);
  const faulty = async (fault: Parameters<typeof simulator.setFaults>[0][0]) => {
    simulator.setFaults([fault]);
    await fails();
  };
  const healed = async () => simulator.setFaults([]);
  const rotated = async () => {
    simulator.account.rotateSecret();
    simulator.account.expireTokens();
    await fails();
  };
  const send = (output: string) =>
    sqs.send(new SendMessageCommand({ QueueUrl: acme.outputs[output], MessageBody: '{"Records":[]}' }));
  return {
    'stream-silent': {
      cause: () => faulty({ endpoint: 'threats', kind: 'status', status: 404, typeSuffix: 'request/not-found' }),
      shows: {
        status: /Failed \d+ s ago: threats, ApiRefusedError: The API answered 404/,
        doctor: /^fail +list-threats/m,
      },
      repair: healed,
    },
    'credentials-refused': {
      bounded: true,
      cause: rotated,
      fires: 'credentials-refused',
      shows: {
        doctor: /^fail +token/m,
        status: /CredentialsError: The token endpoint refused the client credentials/,
      },
      repair: () => setCredentials(acme, account),
    },
    'role-missing': {
      bounded: true,
      async cause() {
        simulator.account.roles.delete('threats:read');
        await fails();
      },
      fires: 'role-missing',
      shows: { doctor: /^fail +list-threats .*403 auth\/insufficient-role/m },
      repair: async () => simulator.account.roles.add('threats:read'),
    },
    'contract-error': {
      cause: () => faulty({ endpoint: 'assets', kind: 'status', status: 200 }),
      fires: 'contract-error',
      shows: { doctor: /^fail +list-assets/m, status: /assets, ContractError: / },
      repair: healed,
    },
    'dead-letters': {
      async cause() {
        simulator.put('assets', { id: 'x'.repeat(6_000) });
        await runs();
      },
      fires: 'dead-letters',
      shows: { 'dead-letters list': /id-too-long/ },
    },
    'threats-without-asset': {
      async cause() {
        await setVariables(acme, { THREAT_ASSET_FIELD: 'parent' });
        simulator.put('threats', { id: 'threat-alone', asset_id: 'asset-1' });
        await runs();
      },
      fires: 'threats-without-asset',
      shows: { doctor: /^(warn|fail) +threat-asset/m },
      repair: () => setVariables(acme, { THREAT_ASSET_FIELD: 'asset_id' }),
    },
    'function-errors': {
      async cause() {
        await setVariables(acme, { STATE_TABLE: '' });
        await fails();
      },
      shows: { doctor: /^fail +settings/m },
      repair: () => setVariables(acme, { STATE_TABLE: acme.outputs['StateTableName']! }),
    },
    'The function is not started': { cause: () => send('ScheduleDeadLetterQueueUrl') },
    'siem-reader-stalled': {
      cause: runs,
      shows: { status: /^SIEM {6}[1-9]\d* objects waiting/m },
      async repair() {
        await openSiem(acme, await createReader(acme)).read();
        assert.match((await acme.ctl(['status'])).stdout, /^SIEM {6}0 objects waiting/m);
      },
    },
    'siem-reader-failing': {
      unrepaired: true,
      cause: () => send('SiemDeadLetterQueueUrl'),
      shows: { status: /dead letters: 1$/m },
    },
    'Rotate the secret': { cause: rotated },
  };
}
