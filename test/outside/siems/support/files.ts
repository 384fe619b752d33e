/** The files of `siem/`, and the kinds and streams of the event schema. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import schema from '../../../../docs/event.schema.json' with { type: 'json' };
import { STREAMS } from '../../../../lambda/streams.ts';
import { TEST_EVENT } from '../../../../lib/test-event.ts';
import { ROOT } from '../../../documents/pages.ts';
import { isCounted, MEANING } from './event-kinds.ts';

export const SIEM_FOLDER = join(ROOT, 'siem');

export function siemFile(name: string): string {
  return readFileSync(join(SIEM_FOLDER, name), 'utf8');
}

/** The kinds that count as events, and those among them that mean that an id exists or is gone. */
export const KINDS = schema.properties.kind.enum.filter(isCounted);
export const EXISTING_KINDS = KINDS.filter(kind => MEANING[kind] === 'exists');
export const GONE_KINDS = KINDS.filter(kind => MEANING[kind] === 'gone');
/** The kinds that a view of what exists now must read. */
export const STATE_KINDS = [...EXISTING_KINDS, ...GONE_KINDS];
export const ALL_STREAMS = schema.properties.stream.enum.filter(name => name !== TEST_EVENT.stream);
/** The streams whose rows can change and be removed. Rows of the others are immutable. */
export const STATE_STREAMS: readonly string[] = STREAMS.filter(each => each.hasRowStates).map(({ name }) => name);
/** Identity of a row: connector, stream and id. */
export const KEY = ['connector', 'stream', 'id'] as const;

interface Member {
  readonly pattern?: string;
  readonly const?: unknown;
}

/** Every member of an event but the row, with the type that its schema describes. */
export const HEAD = Object.entries(schema.properties as Readonly<Record<string, Member>>)
  .filter(([name]) => name !== 'row')
  .map(([name, { pattern, const: only }]) => ({
    name,
    type: pattern?.startsWith('^[0-9]{4}-') ? 'time' : typeof only === 'boolean' ? 'boolean' : 'text',
  }));
export const HEAD_NAMES = HEAD.map(({ name }) => name);

/** The requests of a file for Dev Tools, by the name in their first comment. */
export function consoleRequests(text: string): ReadonlyMap<string, { readonly path: string; readonly body: string }> {
  const requests = text.matchAll(/^# ([\w-]+)\.\n(?:#.*\n)*(?:GET|PUT) (\S+)\n(\{[\s\S]*?^\}$)/gm);
  // Dev Tools accept multi-line strings in triple quotation marks.
  const asJson = (body: string) => body.replace(/"""([\s\S]*?)"""/g, (_, lines: string) => JSON.stringify(lines));
  return new Map([...requests].map(([, name, path, body]) => [name!, { path: path!, body: asJson(body!) }]));
}

/** The function that Filebeat runs on each line. */
export function filebeatScript(): string {
  const [, block] = /^( {12}function process[\s\S]*?^ {12}\}$)/m.exec(siemFile('elastic/filebeat.yml')) ?? [];
  return block!.replace(/^ {12}/gm, '');
}

/**
 * How the pipeline of OpenSearch Ingestion removes the row from a line before it parses the line.
 */
export function rowRemoval(): { readonly from: string; readonly to: string } {
  const [, from, to] = /from: '(.*)'\n *to: "(.*)"/.exec(siemFile('opensearch/pipeline.yaml'))!;
  return { from: from!, to: to! };
}

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'datetime' | 'boolean' | 'dynamic';
}

export interface Query {
  readonly name: string;
  readonly kql: string;
}

/** A function, and as `kql` its body with the defaults of its parameters. */
interface SavedFunction extends Query {
  readonly parameters: string;
  readonly body: string;
}

interface Resource {
  readonly type: string;
  readonly properties: {
    readonly schema: { readonly name: string; readonly columns: readonly Column[] };
    readonly streamDeclarations: Readonly<Record<string, { readonly columns: readonly Column[] }>>;
    readonly dataFlows: readonly { readonly transformKql: string }[];
    readonly functionAlias: string;
    readonly functionParameters?: string;
    readonly query: string;
  };
}

/** `a:string='*', b:bool=false` as statements that give each parameter its default. */
function defaultsOf(parameters: string): string {
  return [...parameters.matchAll(/(\w+):\w+=([^,]+)/g)].map(([, name, value]) => `let ${name} = ${value};\n`).join('');
}

/** Resources of the template for Sentinel. */
export function sentinel() {
  const { resources } = JSON.parse(siemFile('sentinel/azuredeploy.json')) as { resources: readonly Resource[] };
  const ofType = (type: string) => resources.filter(each => each.type.endsWith(type)).map(each => each.properties);
  const [rule] = ofType('/dataCollectionRules');
  const [declaration] = Object.values(rule!.streamDeclarations);
  const { transformKql } = rule!.dataFlows[0]!;
  return {
    table: ofType('/tables')[0]!.schema,
    /** Columns of a line, before the transformation. */
    declared: declaration!.columns,
    transformKql,
    /** The member that fills each column of the table. */
    members: new Map(
      [...transformKql.matchAll(/(\w+) = (?:tostring\()?\['(\w+)'\]/g)].map(([, to, from]) => [to!, from!]),
    ),
    functions: ofType('/savedSearches').map(
      ({ functionAlias, functionParameters = '', query }): SavedFunction => ({
        name: functionAlias,
        parameters: functionParameters,
        body: query,
        kql: `${defaultsOf(functionParameters)}${query}`,
      }),
    ),
  };
}

/** The queries of siem/sentinel beside the template, by the name in their comment. */
export function kqlQueries(): Query[] {
  const parts = siemFile('sentinel/queries.kql').matchAll(/^\/\/ (\w+): .*\n((?:(?!\/\/).+\n)+)/gm);
  return [...parts].map(([, name, kql]) => ({ name: name!, kql: kql! }));
}

/** The definition of the dashboard in the app for Splunk. */
export function splunkDashboard() {
  const view = siemFile('splunk/security_data_connector/default/data/ui/views/security_data.xml');
  return JSON.parse(/<!\[CDATA\[([\s\S]*)\]\]>/.exec(view)![1]!);
}
