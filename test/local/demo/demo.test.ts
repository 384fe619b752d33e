import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Demo, startDemo } from '../../../local/demo/demo.ts';
import { documentedAlarms } from '../../../local/demo/documented-alarms.ts';
import {
  OPERATOR_FILE,
  OPERATOR_SCRIPT,
  operatorEnvironment,
  operatorLine,
  writeOperatorFile,
} from '../../../local/demo/operator.ts';
import { type DemoServer, startDemoServer } from '../../../local/demo/server.ts';
import type { View } from '../../../local/demo/view.ts';
import { EventDatabase } from '../../../local/query/event-database.ts';
import { ROOT } from '../../documents/pages.ts';
import { templateWith } from '../../stack/shared-template.ts';

const OPTIONS = { dnsBlocksPath: '/v1/dns-blocks', dashboard: true, alarmEmail: 'on-call@acme.example' };

let demo: Demo;
let server: DemoServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'demo-test-'));
  const stack = { connector: 'acme', stackName: 'SecurityDataConnector-acme', template: await templateWith(OPTIONS) };
  server = await startDemoServer();
  const pace = { minuteTakes: 100, changes: 4, seed: 1, warmUpMinutes: 36 };
  demo = await startDemo({ ...pace, stack, runbookUrl: '', say: () => undefined });
  server.show(demo);
});

afterAll(async () => {
  await server?.close();
  await demo?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** The first view for which it holds. @throws Error after so many minutes of the demo */
function until(holds: (view: View) => boolean, minutes = 60): Promise<View> {
  return new Promise((resolve, reject) => {
    const end = demo.view.minute + minutes;
    const stop = demo.listen(view => {
      if (!holds(view) && view.minute <= end) return;
      stop();
      if (holds(view)) resolve(view);
      else reject(new Error(`Not within ${minutes} minutes: ${JSON.stringify(view.incident)}`));
    });
  });
}

test('the copy of the SIEM becomes equal to the data and to the SQL views over the delivered files', async () => {
  const { streams } = await until(({ distance }) => distance === 0);
  using database = await EventDatabase.open(demo.stack.scene.aws.deliveredFolder);
  const sql = `select (select count(*) from current_assets) as assets, (select count(*) from current_threats) as threats,
    (select count(*) from dns_blocks) as "dns-blocks"`;
  const [counts] = await (await database.query(sql)).getRowObjectsJson();
  expect(Object.fromEntries(streams.map(({ name, held }) => [name, String(held)]))).toEqual(counts);
});

/** The command of the script after its check of Node, for any working directory. */
async function operatorProgram(): Promise<string[]> {
  const { scripts } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
  const [, command = ''] = scripts[OPERATOR_SCRIPT].split(' && node ');
  return command.split(' ').map((word: string) => (/^(\.\/local|bin)\//.test(word) ? path.join(ROOT, word) : word));
}

test('without a running demo, connectorctl says so and reaches no other account', async () => {
  const elsewhere = await mkdtemp(path.join(tmpdir(), 'demo-test-'));
  const failed = promisify(execFile)(process.execPath, [...(await operatorProgram()), 'status'], { cwd: elsewhere });
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^The demo does not run\. Start it with "npm run demo"[^\n]*\n$/),
  });
  await rm(elsewhere, { recursive: true });
});

/** Runs the line that the demo prints. @returns what it wrote to stdout */
async function execute(typedCommand: string): Promise<string> {
  await mkdir(path.join(folder, path.dirname(OPERATOR_FILE)), { recursive: true });
  await writeOperatorFile(path.join(folder, OPERATOR_FILE), operatorEnvironment(demo.stack.deployment, server.url));
  const [npm, run, script, dashes, ...typed] = operatorLine(typedCommand).split(' ');
  expect([npm, run, script, dashes]).toEqual(['npm', 'run', OPERATOR_SCRIPT, '--']);
  const { stdout } = await promisify(execFile)(process.execPath, [...(await operatorProgram()), ...typed], {
    cwd: folder,
  });
  return stdout;
}

test('the printed line runs connectorctl against the demo, in its time: status, doctor and a row', async () => {
  const asset = [...demo.stack.siem.copy.values()].find(({ stream }) => stream === 'assets');
  const [status, doctor, row] = await Promise.all([
    execute('status'),
    execute('doctor'),
    execute(`lookup assets ${asset!.id}`),
  ]);
  expect(status).toMatch(/^acme: healthy: every stream is caught up$/m);
  expect(status).toMatch(/^assets +caught up +just now/m);
  expect(doctor).toContain('0 failed');
  expect(row).toContain(`assets "${asset!.id}"`);
});

test('an incident fires its alarm, nothing is lost, and the copy equals the data after the repair', async () => {
  await demo.cause('The service account was disabled');
  await until(({ alarms }) => alarms.some(({ name, state }) => name === 'credentials-refused' && state === 'ALARM'), 6);
  await until(({ distance }) => distance > 0, 10);
  // Exit status 3: an alarm fires. The API refuses the account while its token lasts, and then the token endpoint does.
  await expect(execute('status')).rejects.toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/^ {2}Failed .*(AccountRevokedError|CredentialsError): /m),
  });
  await demo.repair();
  const { incident } = await until(({ distance }) => distance === 0);
  expect(incident).toMatchObject({ name: 'The service account was disabled', isRepaired: true });
  await expect(demo.cause('no such incident')).rejects.toThrow(RangeError);
});

test('an incident that is repaired before its first minute ends with that minute', async () => {
  await demo.cause('The service account was disabled');
  await demo.repair();
  const { began, repaired } = demo.stack.incident!;
  expect(repaired).toBe(began);
});

test('a pause by an operator stops the schedule, and the page says so', async () => {
  const { schedules, scheduleName } = demo.stack.deployment;
  const before = schedules.get(scheduleName)!;
  schedules.put(scheduleName, { ...before, State: 'DISABLED' });
  expect(await until(({ scheduled }) => !scheduled, 3)).toMatchObject({ scheduled: false });
  schedules.put(scheduleName, before);
  await until(({ scheduled }) => scheduled, 3);
});

test('a row is explained from end to end', async () => {
  const { stream, id } = [...demo.stack.siem.copy.values()].find(event => event.stream === 'assets')!;
  const explained = await demo.explain(stream, id);
  expect(explained).toMatchObject({ stream, id, noState: null });
  expect(explained!.events.some(({ isHeld }) => isHeld)).toBe(true);
  expect(explained!.state).toMatchObject({ sequence: explained!.events.find(({ isHeld }) => isHeld)!.sequence });
});

// The last one, because reading the backlog takes long.
test('while a backlog is read, its stream is behind although its last run was caught up, and only documented alarms fire', async () => {
  const name = 'The API is too slow for the backlog';
  demo.setPace(50);
  await demo.cause(name);
  const { streams } = await until(({ incident }) => (incident?.minutes ?? 0) >= 5, 20);
  expect(streams.find(each => each.name === 'assets')).toMatchObject({ condition: 'behind', isBehind: true });
  // The first run has ended.
  const { incident } = await until(view => (view.incident?.minutes ?? 0) >= 18, 20);
  const documented = documentedAlarms().get(name)!;
  expect(incident!.alarms.filter(each => each.fired !== null && !documented.has(each.name))).toEqual([]);
});
