/** Kusto's language service, which finds errors in a query without running it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Context, createContext, runInContext } from 'node:vm';
import { part } from '../../running.ts';
import { type Column, sentinel } from './files.ts';

/** Names that a query may use. */
interface Database {
  readonly tables: readonly { readonly name: string; readonly columns: string }[];
  readonly functions: readonly { readonly name: string; readonly parameters: string; readonly body: string }[];
}

/** The service is C# compiled to JavaScript. It defines globals, so it runs in its own context. */
const PROGRAM = `function diagnose(query, database) {
  const { KustoCode, GlobalState, Symbols } = Kusto.Language;
  const { tables, functions } = JSON.parse(database);
  const members = [
    ...tables.map(({ name, columns }) => Symbols.TableSymbol.From(columns).WithName(name)),
    ...functions.map(
      ({ name, parameters, body }) => new Symbols.FunctionSymbol.$ctor16(name, '(' + parameters + ')', '{ ' + body + ' }', null),
    ),
  ];
  const globals = GlobalState.Default.WithDatabase(new Symbols.DatabaseSymbol.ctor('database', members));
  const found = KustoCode.ParseAndAnalyze(query, globals).GetDiagnostics();
  return Array.from({ length: found.Count }, (_, index) => found.getItem(index).Message).join('\\n');
}`;

let loaded: Context | undefined;

function service(): Context {
  const context = createContext({ console });
  const folder = join(part('kusto').folder, 'node_modules', '@kusto', 'language-service-next');
  for (const file of ['bridge.min.js', 'Kusto.Language.Bridge.min.js'])
    runInContext(readFileSync(join(folder, file), 'utf8'), context, { filename: file });
  runInContext(PROGRAM, context);
  return context;
}

function diagnose(query: string, database: Database): string[] {
  loaded ??= service();
  const found: string = loaded['diagnose'](query, JSON.stringify(database));
  return found === '' ? [] : found.split('\n');
}

/** Errors that the service finds in a query on the table and the functions of siem/sentinel. */
export function diagnostics(query: string): string[] {
  const { table, functions } = sentinel();
  return diagnose(query, { tables: [{ name: table.name, columns: declaration(table.columns) }], functions });
}

/** The same for the transformation of the data collection rule, whose table is `source`. */
export function transformationDiagnostics(): string[] {
  const { declared, transformKql } = sentinel();
  return diagnose(transformKql, { tables: [{ name: 'source', columns: declaration(declared) }], functions: [] });
}

function declaration(columns: readonly Column[]): string {
  return `(${columns.map(({ name, type }) => `['${name}']: ${type === 'boolean' ? 'bool' : type}`).join(', ')})`;
}
