/** Apps that `cdk init` makes, with the packed file installed and the files of an example added. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { page, ROOT } from '../../documents/pages.ts';
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

/** @returns the template of each stack by its name, and seconds */
export async function synth(app: App): Promise<{ templates: ReadonlyMap<string, Template>; seconds: number }> {
  const { seconds } = await succeed('npx', ['--no', 'cdk', 'synth', '--quiet'], app);
  return { templates: templatesIn(path.join(app.folder, 'cdk.out')), seconds };
}

/** A test of the app's stack, by the jest that `cdk init` sets up. */
export async function testApp(app: App): Promise<string> {
  const test = `
import { App } from 'aws-cdk-lib/core';
import { Template } from 'aws-cdk-lib/assertions';
import { OwnAppStack } from '../../stack/own-app-stack';

test('the stack has a connector', () => {
  Template.fromStack(new OwnAppStack(new App(), 'Stack')).resourceCountIs('AWS::Lambda::Function', 1);
});
`;
  writeFileSync(path.join(app.folder, 'test', 'own-app.test.ts'), test);
  const { output } = await succeed('npm', ['test'], app);
  return /^Tests:.*$/m.exec(output)![0];
}

export interface Template {
  readonly Resources: Readonly<Record<string, Record<string, unknown>>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown; readonly Export: { readonly Name: string } }>>;
}

export function templatesIn(folder: string): ReadonlyMap<string, Template> {
  const { artifacts } = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'));
  const stacks = Object.entries<{ type: string; properties: { templateFile: string } }>(artifacts).filter(
    ([, { type }]) => type === 'aws:cloudformation:stack',
  );
  return new Map(
    stacks.map(([name, { properties }]) => [
      name,
      JSON.parse(readFileSync(path.join(folder, properties.templateFile), 'utf8')),
    ]),
  );
}

export interface OfClone {
  readonly name: string;
  readonly template: Template;
  readonly seconds: number;
}

let ofClone: Promise<OfClone> | undefined;

/** What the clone synthesizes for the connector of the example own-app. */
export function templateOfClone(): Promise<OfClone> {
  ofClone ??= synthClone();
  return ofClone;
}

async function synthClone(): Promise<OfClone> {
  const props = /new SecurityDataConnector\(this, 'Connector', (\{[^}]*\})/.exec(
    page('examples/own-app/lib/own-app-stack.ts'),
  )![1]!;
  // The names of these props are those of the options, but for the first.
  const text = props
    .replace('connectorName:', 'name:')
    .replace(/(\w+): '/g, '"$1": \'')
    .replaceAll("'", '"');
  const connector = JSON.parse(text.replace(/,\s*\}/, '}'));
  // Beside the usual folder: the bundle's source map names the sources relative to it, and the hash of the asset includes the map.
  const output = path.join(ROOT, '.cdk.out-of-clone');
  const context = `connectors=${JSON.stringify([connector])}`;
  const place = { folder: ROOT, node: path.join(ROOT, 'node_modules', '.bin') };
  try {
    const { seconds } = await succeed(
      'npx',
      ['--no', 'cdk', 'synth', '--quiet', '--output', output, '-c', context],
      place,
    );
    const [[name, template] = []] = templatesIn(output);
    return { name: name!, template: template!, seconds };
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

/**
 * Asserts that both are one template, hash of the function's asset included, but for
 *
 * - the name of the stack, and so the paths in the metadata
 * - logical ids of outputs, which are compared by the names of their exports
 * - the command that alarms name, which is another in an app than in a clone
 * - who bundled the asset, and what the CDK reports of itself
 */
export function assertSame(app: string, template: Template, clone: string, ofClone: Template): string {
  const own = comparable(app, template);
  assert.deepEqual(own, comparable(clone, ofClone));
  return `${Object.keys(own.Resources).length} resources, ${Object.keys(own.Outputs).length} outputs`;
}

function comparable(stack: string, template: Template): Template {
  const text = JSON.stringify(template)
    .replaceAll(stack, 'STACK')
    .replaceAll('npx --no -- connectorctl', 'npm run connectorctl --')
    .replaceAll('the folder of your CDK app', 'a clone of the connector')
    .replaceAll(/"aws:asset:is-bundled":(true|false),/g, '');
  const { Resources, Outputs } = JSON.parse(text) as Template;
  const { CDKMetadata: _ofTheCdk, ...others } = Resources;
  const outputs = Object.values(Outputs).map(each => [each.Export.Name, each] as const);
  return { Resources: others, Outputs: Object.fromEntries(outputs) };
}
