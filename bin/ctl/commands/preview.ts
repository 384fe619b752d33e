/** What a changed selection of rows would withdraw and send, before it is deployed. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { FUNCTION_OPTIONS } from '../../../lambda/options.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { openAccess } from '../access.ts';
import { help, type Run } from '../command.ts';
import type { Context } from '../context.ts';
import type { FunctionEnvironment } from '../deployment.ts';
import { RefusedError } from '../errors.ts';
import type { Outcome } from '../report.ts';
import { compare } from './verify/compare.ts';

export function previewCommand(run: Run): Command {
  return new Command('preview')
    .description('say what changed filters would withdraw and send, before they are deployed')
    .option('--template <file>', 'template of the stack, as "cdk synth" writes it (default: the one in cdk.out)')
    .addHelpText('after', help(MEANING, 'preview', 'preview --template cdk.out/Security.template.json --json'))
    .action(run(preview));
}

const MEANING = `First change the configuration and run "npx cdk synth --quiet". The command takes filters, omitted members and dnsBlocksSince from the
template, everything else from the deployed connector. It reads the whole table and the API's lists once, like verify, and
counts what the next run would withdraw and send, also what it would send without the change. Nothing is sent or saved.
DNS blocks have no row states: a change applies to blocks that are read from then on.`;

/** @throws RefusedError, AwsCallError; as the API's client does */
async function preview(context: Context, { template: given }: { readonly template?: string }): Promise<Outcome> {
  const { connector } = await context.deployment();
  const template = templateOf(given, connector);
  const { variables, different } = selectionIn(template, await context.environment());
  const access = await openAccess(context, { variables });
  const streams = (await compare(context, access, access.streams)).map(({ stream, rows, withheld, found, live }) => {
    const withdrawn = found.filter(({ kind }) => kind === 'unfiltered').length;
    const sent = found.filter(({ kind }) => kind !== 'unfiltered' && kind !== 'ghost').length;
    return [stream.name, { rowsListed: rows, rowsExcluded: withheld, siemHas: live ?? null, withdrawn, sent }] as const;
  });
  const title =
    different.length > 0
      ? `${template.file} changes ${different.join(', ')}. The first run after the deployment:`
      : `${template.file} selects the rows that the deployed connector selects. The next run, without a deployment:`;
  return {
    text: [title, '', ...streams.map(([stream, counts]) => sentence(stream, counts))].join('\n'),
    json: { template: template.file, changed: different, streams: Object.fromEntries(streams) },
  };
}

interface StreamPreview {
  readonly rowsListed: number;
  readonly rowsExcluded: number;
  /** Null for a stream without row states. */
  readonly siemHas: number | null;
  readonly withdrawn: number;
  readonly sent: number;
}

function sentence(stream: StreamName, { rowsListed, rowsExcluded, siemHas, withdrawn, sent }: StreamPreview): string {
  const name = stream === 'dns-blocks' ? 'DNS blocks' : stream;
  const applies = `${rowsExcluded} of ${rowsListed} ${name} at the API are excluded`;
  return siemHas === null
    ? `  ${applies}. None is withdrawn: the change applies to those that are read from then on.`
    : `  ${withdrawn} of ${siemHas} ${name} would be withdrawn, ${sent} would be sent. ${applies}.`;
}

/** Variables of the function with the option that sets each. */
const SELECTION = (['dnsBlocksPath', 'filters', 'omit', 'dnsBlocksSince'] as const).map(
  option => [FUNCTION_OPTIONS[option].variable, option] as const,
);

const FOLDER = 'cdk.out';

export interface Template {
  readonly file: string;
  /** Variables of the connector's function. A value that is known only at deployment is an object. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** @param file absent: the one in the folder that has the connector @throws RefusedError */
export function templateOf(file: string | undefined, connector: string, folder = FOLDER): Template {
  const found = (file === undefined ? templatesIn(folder) : [file]).flatMap(each => {
    const variables = variablesIn(each, connector);
    return variables ? [{ file: each, variables }] : [];
  });
  if (found.length === 1) return found[0]!;
  const where = file ?? folder;
  const what =
    found.length === 0
      ? `${where} has no template with the connector ${connector}`
      : `Several templates in ${where} have it`;
  throw new RefusedError(
    `${what}. Run "npx cdk synth --quiet" first, or name a template with --template. Nothing was read.`,
  );
}

function templatesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(name => name.endsWith('.template.json'))
      .map(name => path.join(folder, name));
  } catch (cause) {
    throw new RefusedError(
      `There is no folder ${folder} here. Run "npx cdk synth --quiet" first, or name a template with --template. Nothing was read.`,
      { cause },
    );
  }
}

interface Resource {
  readonly Type?: string;
  readonly Properties?: { readonly Environment?: { readonly Variables?: Readonly<Record<string, unknown>> } };
}

function variablesIn(file: string, connector: string): Readonly<Record<string, unknown>> | undefined {
  return Object.values(resourcesIn(file))
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .map(({ Properties }) => Properties?.Environment?.Variables)
    .find(variables => variables?.['CONNECTOR_NAME'] === connector);
}

function resourcesIn(file: string): Readonly<Record<string, Resource>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).Resources ?? {};
  } catch (cause) {
    throw new RefusedError(`${file} is no template that can be read. Nothing was read from AWS.`, { cause });
  }
}

/**
 * Variables of the function with which it selects as the template does, an empty one for an option that is absent, and the options that
 * differ from what is deployed.
 *
 * @throws RefusedError where a value is known only when the stack is deployed
 */
function selectionIn({ file, variables }: Template, deployed: FunctionEnvironment) {
  const selected = SELECTION.map(([variable, option]) => {
    const value = variables[variable] ?? '';
    if (typeof value === 'string') return { variable, option, value };
    throw new RefusedError(`In ${file} ${option} is known only when the stack is deployed. Nothing was read.`);
  });
  const different = selected.filter(({ variable, value }) => value !== (deployed[variable] ?? ''));
  return {
    variables: Object.fromEntries(selected.map(({ variable, value }) => [variable, value])),
    different: different.map(({ option }) => option),
  };
}
