/** Apps that `cdk init` makes, with the packed file installed and the files of an example added. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { ROOT } from '../../documents/pages.ts';
import { type Place, succeed } from './run.ts';

const CDK = ['aws-cdk-lib', 'constructs'] as const;

/** The versions that the clone has, so that both synthesize with the same. */
export const OF_CLONE = CDK.map(name => `${name}@${manifest.devDependencies[name]}`);

/** The lowest versions that the package takes: `aws-cdk-lib@2.224.0` of `^2.224.0`. */
export const LOWEST = CDK.map(name => `${name}@${manifest.peerDependencies[name].replace('^', '')}`);

const CDK_INIT = path.join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');
const STOCK = ['init', 'app', '--language', 'typescript', '--generate-only'];

/** An app as `cdk init` makes it, with the package installed. Its folder gives it its name. */
export async function initApp(
  name: string,
  packed: string,
  parent: Place,
  versions: readonly string[],
): Promise<Place> {
  const folder = path.join(parent.folder, name);
  mkdirSync(folder);
  const place = { ...parent, folder };
  await succeed('node', [CDK_INIT, ...STOCK], place);
  await succeed('npm', ['install', '--no-audit', '--no-fund', packed, ...versions], place);
  return place;
}

/** Another app with what the one before has installed, which cannot be used any more. */
export async function initNext(name: string, before: Place): Promise<Place> {
  const folder = path.join(path.dirname(before.folder), name);
  mkdirSync(folder);
  await succeed('node', [CDK_INIT, ...STOCK], { ...before, folder });
  renameSync(path.join(before.folder, 'node_modules'), path.join(folder, 'node_modules'));
  return { ...before, folder };
}

/**
 * Adds the files of the example that has the name of the app. What the example does not use of the
 * stock app goes.
 */
export function addExample({ folder }: Place): void {
  const name = path.basename(folder);
  const example = path.join(ROOT, 'examples', name);
  if (!existsSync(path.join(example, 'lib', `${name}-stack.ts`))) rmSync(path.join(folder, 'lib', `${name}-stack.ts`));
  cpSync(example, folder, { recursive: true });
}

/** @returns the template of each stack, those of stages included */
export async function synth(app: Place): Promise<Template[]> {
  await succeed('npx', ['--no', 'cdk', 'synth', '--quiet'], app);
  const folder = path.join(app.folder, 'cdk.out');
  const files = globSync('**/*.template.json', { cwd: folder });
  return files.map(file => JSON.parse(readFileSync(path.join(folder, file), 'utf8')));
}

/** A test of the app's stack, by the jest that `cdk init` sets up. */
export async function testApp(app: Place): Promise<void> {
  const test = `
import { App } from 'aws-cdk-lib/core';
import { Template } from 'aws-cdk-lib/assertions';
import { OwnAppStack } from '../lib/own-app-stack';

test('the stack has a connector', () => {
  Template.fromStack(new OwnAppStack(new App(), 'Stack')).resourceCountIs('AWS::Lambda::Function', 1);
});
`;
  writeFileSync(path.join(app.folder, 'test', 'own-app.test.ts'), test);
  await succeed('npm', ['test'], app);
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
