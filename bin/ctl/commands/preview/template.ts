/** The function's selection of rows in a template that `cdk synth` has written. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { FUNCTION_OPTIONS } from '../../../../lambda/options.ts';
import type { FunctionEnvironment } from '../../deployment.ts';
import { RefusedError } from '../../errors.ts';

/** Variables of the function with the option that sets each. */
const SELECTION = (['dnsBlocksPath', 'filters', 'omit', 'dnsBlocksSince'] as const).map(
  option => [FUNCTION_OPTIONS[option].variable, option] as const,
);

const FOLDER = 'cdk.out';

export interface Template {
  readonly file: string;
  /** Of the connector's function. A value that is known only when the stack is deployed is an object. */
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
export function selectionIn({ file, variables }: Template, deployed: FunctionEnvironment) {
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
