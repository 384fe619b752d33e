/** Apps that `cdk init` makes, with the packed file installed and the files of an example added. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { ROOT } from '../../documents/pages.ts';
import { type Place, succeed } from './run.ts';

export const EXAMPLES = ['own-app', 'many-organizations', 'pipeline', 'platform-team'] as const;

export interface App extends Place {
  /** Seconds of the installation. */
  readonly seconds: number;
}

const CDK = ['aws-cdk-lib', 'constructs'] as const;

/** The versions that the clone has, so that both synthesize with the same. */
const OF_CLONE = CDK.map(name => `${name}@${manifest.devDependencies[name]}`);

/** The lowest versions that the package takes: `aws-cdk-lib@2.224.0` of `^2.224.0`. */
export const LOWEST = CDK.map(name => `${name}@${manifest.peerDependencies[name].replace('^', '')}`);

const CDK_INIT = path.join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');
const STOCK = ['init', 'app', '--language', 'typescript', '--generate-only'];

/** An app as `cdk init` makes it, with the package installed. Its folder gives it its name. */
export async function initApp(name: string, packed: string, parent: Place, versions = OF_CLONE): Promise<App> {
  const folder = path.join(parent.folder, name);
  mkdirSync(folder);
  const place = { ...parent, folder };
  await succeed('node', [CDK_INIT, ...STOCK], place);
  const { seconds } = await succeed('npm', ['install', '--no-audit', '--no-fund', packed, ...versions], place);
  return { ...place, seconds };
}

/** Another app with what the one before has installed, which cannot be used any more. */
export async function initNext(name: string, before: App): Promise<App> {
  const folder = path.join(path.dirname(before.folder), name);
  mkdirSync(folder);
  await succeed('node', [CDK_INIT, ...STOCK], { ...before, folder });
  renameSync(path.join(before.folder, 'node_modules'), path.join(folder, 'node_modules'));
  return { ...before, folder };
}

/** Adds the files of the example that has the name of the app. What the example does not use of the stock app goes. */
export function addExample({ folder }: App): void {
  const name = path.basename(folder);
  const example = path.join(ROOT, 'examples', name);
  if (!existsSync(path.join(example, 'lib', `${name}-stack.ts`))) rmSync(path.join(folder, 'lib', `${name}-stack.ts`));
  cpSync(example, folder, { recursive: true });
}

/** @returns seconds */
export async function compile(app: App): Promise<number> {
  return (await succeed('npx', ['--no', 'tsc'], app)).seconds;
}

/** @returns the template of each stack, those of stages included, and seconds */
export async function synth(app: App): Promise<{ templates: readonly Template[]; seconds: number }> {
  const { seconds } = await succeed('npx', ['--no', 'cdk', 'synth', '--quiet'], app);
  const folder = path.join(app.folder, 'cdk.out');
  const files = globSync('**/*.template.json', { cwd: folder });
  return { templates: files.map(file => JSON.parse(readFileSync(path.join(folder, file), 'utf8'))), seconds };
}

/** A test of the app's stack, by the jest that `cdk init` sets up. */
export async function testApp(app: App): Promise<string> {
  const test = `
import { App } from 'aws-cdk-lib/core';
import { Template } from 'aws-cdk-lib/assertions';
import { OwnAppStack } from '../lib/own-app-stack';

test('the stack has a connector', () => {
  Template.fromStack(new OwnAppStack(new App(), 'Stack')).resourceCountIs('AWS::Lambda::Function', 1);
});
`;
  writeFileSync(path.join(app.folder, 'test', 'own-app.test.ts'), test);
  const { output } = await succeed('npm', ['test'], app);
  return /^Tests:.*$/m.exec(output)![0];
}

export interface Template {
  readonly Resources: Readonly<Record<string, object>>;
}

/** Logical ids of the resources, without what the CDK reports of itself. */
export function idsOf({ Resources }: Pick<Template, 'Resources'>): string[] {
  return Object.keys(Resources)
    .filter(id => id !== 'CDKMetadata')
    .sort();
}
