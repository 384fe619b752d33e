/** `npm run test:package`: the packed file in apps that `cdk init` makes, on each Node that it supports. */
import assert from 'node:assert/strict';
import { globSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { Command, Option } from 'commander';
import { readArgumentsOrExit } from '../../../local/npm-command.ts';
import { ROOT } from '../../documents/pages.ts';
import { synthesize } from '../../stack/synth.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';
import {
  addExample,
  compile,
  EXAMPLES,
  idsOf,
  initApp,
  initNext,
  LOWEST,
  synth,
  type Template,
  testApp,
} from './apps.ts';
import { fetchNode, fetchProgram } from './fetch.ts';
import { assertContents, assertReproducible, attw, type Packed, pack, publint } from './packed.ts';
import { type NodeMajor, PARTS } from './parts.ts';
import { succeed } from './run.ts';

const CACHE = path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'security-data-connector');
const MAJORS = Object.keys(PARTS.nodes) as unknown as NodeMajor[];

interface Flags {
  readonly node: readonly string[];
  readonly strict: boolean;
  readonly cache: string;
}

const { flags: options } = readArgumentsOrExit<Flags>(() =>
  new Command('npm run test:package --')
    .description('Packs the package, and installs and synthesizes it in apps that "cdk init" makes.')
    .addOption(
      new Option('--node <versions...>', 'major versions of Node')
        .choices(MAJORS.map(String))
        .default(MAJORS.map(String)),
    )
    .option('--strict', 'fail where a part is missing', false)
    .option('--cache <folder>', 'where fetched parts are kept', path.join(CACHE, 'package')),
);
const { path: folder } = await temporaryFolder('package-');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

/** A part that is not available on this machine. */
class PartMissing extends Error {}

let failed = 0;
let skipped = 0;
await check('pack', async () => {
  const packed = await pack(folder);
  console.log(`       ${packed.bytes} bytes packed, ${packed.unpackedBytes} unpacked, ${packed.files.length} files`);
  await ofFile(packed);
  for (const major of options.node) await check(`Node ${major}`, () => onNode(major as unknown as NodeMajor, packed));
  return packed.file;
});
console.log(`${failed} failed, ${skipped} skipped.`);
process.exitCode = failed > 0 || (options.strict && skipped > 0) ? 1 : 0;

async function ofFile(packed: Packed): Promise<void> {
  await check('contents', async () => assertContents(packed));
  await check('publint', () => publint(packed, options.cache));
  await check('attw', () => attw(packed, options.cache));
  await check('reproducible', () => assertReproducible(path.join(folder, 'copy')));
  await check('actionlint', async () => {
    const actionlint = await fetchProgram('actionlint', options.cache).catch(missing);
    const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT });
    const files = [...workflows, 'examples/pipeline/.github/workflows/deploy.yml'];
    await succeed(actionlint, files, { folder: ROOT });
    return `${files.length} workflows`;
  });
  await check('lowest peers', () => onLowestPeers(packed));
  await check('hclfmt', async () => {
    const hclfmt = await fetchProgram('hclfmt', options.cache).catch(missing);
    await succeed(hclfmt, ['-check', 'examples/terraform/main.tf'], { folder: ROOT });
    return 'examples/terraform';
  });
}

/** An app of a team that is behind with its CDK. */
async function onLowestPeers(packed: Packed): Promise<string> {
  const parent = path.join(folder, 'lowest-peers');
  mkdirSync(parent);
  const app = await initApp('own-app', packed.file, { folder: parent }, LOWEST);
  addExample(app);
  await compile(app);
  const { templates } = await synth(app);
  assertIds(templates);
  return `${LOWEST.join(', ')}: the logical ids of the clone`;
}

function assertIds([template]: readonly Template[]): void {
  assert.deepEqual(idsOf(template!), idsOf(synthesize({ alarmEmail: 'on-call@acme.example' })));
}

/** An example is the file that the stock app lacks, so the app's tsconfig.json, cdk.json and package.json are those of `cdk init`. */
async function onNode(major: NodeMajor, packed: Packed): Promise<string> {
  const node = await fetchNode(PARTS.nodes[major], options.cache).catch(missing);
  const parent = path.join(folder, `node-${major}`);
  mkdirSync(parent);
  const [first, ...others] = EXAMPLES;
  const app = await initApp(first, packed.file, { folder: parent, node });
  addExample(app);
  const compiled = await compile(app);
  const { templates, seconds } = await synth(app);
  await succeed('npx', ['--no', '--', 'connectorctl', '--version'], app);
  assertIds(templates);
  await check(`Node ${major}, the app's own tests`, () => testApp(app));
  let last = app;
  for (const name of others) {
    await check(`Node ${major}, ${name}`, async () => {
      last = await initNext(name, last);
      addExample(last);
      return `${(await synth(last)).templates.length} stacks`;
    });
  }
  const times = [app.seconds, compiled, seconds].map(each => `${each.toFixed(1)} s`);
  return `${PARTS.nodes[major]}: installed in ${times[0]}, compiled in ${times[1]}, synthesized in ${times[2]}`;
}

function missing(cause: Error): never {
  throw new PartMissing(cause.message.split('\n')[0], { cause });
}

async function check(name: string, run: () => Promise<string>): Promise<void> {
  try {
    console.log(`PASSED ${name}: ${await run()}`);
  } catch (error) {
    if (error instanceof PartMissing) {
      skipped++;
      console.log(`SKIPPED ${name}: ${error.message}`);
      return;
    }
    failed++;
    console.log(`FAILED ${name}: ${(error as Error).message}`);
  }
}
