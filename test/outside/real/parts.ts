/** What `npm run test:real` fetches, starts and runs. This table alone names versions. */
import { join } from 'node:path';
import { installPython } from '../../support/parts/cache.ts';
import { copyArchives, unpack } from '../fetch.ts';
import type { Part, Suites } from '../launcher.ts';

const DYNAMODB = '2.6.1';
const MOTO = '5.2.5';
const KEYCLOAK = '26.7.3';
/** The last version that runs on Java 17. */
const TRINO = '435';

/** Of Keycloak, which is in memory and begins empty in each run. */
export const ADMINISTRATOR = { username: 'admin', password: 'local' };

/**
 * A server of minutes: the second compiler and the parallel collector would take more than they
 * save.
 */
const ONE_COMPILER = '-XX:TieredStopAtLevel=1';
/** Heaps are small, because the machine is shared with the tests. */
const SHORT_LIVED = [ONE_COMPILER, '-XX:+UseSerialGC'];

const urlOf = (port: number) => `http://127.0.0.1:${port}`;

export const PARTS = {
  dynamodb: {
    name: 'DynamoDB Local',
    version: DYNAMODB,
    tools: ['java', 'mvn'],
    fetch: folder => copyArchives(join(folder, 'lib'), [`com.amazonaws:DynamoDBLocal:${DYNAMODB}`], []),
    launch(folder, port) {
      const main = 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner';
      // The native library of SQLite lies beside its archive, where it is looked up first.
      const options = ['-Xmx256m', ...SHORT_LIVED, '-cp', join(folder, 'lib', '*'), main];
      const args = [...options, '-inMemory', '-disableTelemetry', '-port', `${port}`];
      return { file: 'java', args, environment: {}, health: urlOf(port) };
    },
  },
  moto: {
    name: 'moto',
    version: MOTO,
    tools: ['python3'],
    fetch: folder => installPython(folder, `moto[server]==${MOTO}`),
    launch(folder, port) {
      const args = ['-m', 'moto.server', '-H', '127.0.0.1', '-p', `${port}`];
      return { file: join(folder, 'bin', 'python'), args, environment: {}, health: `${urlOf(port)}/moto-api/` };
    },
  },
  keycloak: {
    name: 'Keycloak',
    version: KEYCLOAK,
    tools: ['java', 'mvn'],
    fetch: folder => unpack(folder, `org.keycloak:keycloak-quarkus-dist:${KEYCLOAK}:zip`),
    launch(folder, port) {
      const script = join(folder, `keycloak-${KEYCLOAK}`, 'bin', 'kc.sh');
      const address = ['--http-host', '127.0.0.1', '--http-port', `${port}`];
      const environment = {
        JAVA_OPTS_KC_HEAP: `-Xms64m -Xmx512m ${ONE_COMPILER}`,
        KC_BOOTSTRAP_ADMIN_USERNAME: ADMINISTRATOR.username,
        KC_BOOTSTRAP_ADMIN_PASSWORD: ADMINISTRATOR.password,
      };
      const args = [script, 'start-dev', ...address, '--db', 'dev-mem', '--cache', 'local'];
      return { file: 'sh', args, environment, health: `${urlOf(port)}/realms/master` };
    },
  },
  // The engine that Athena is made of.
  trino: {
    name: 'Trino',
    version: TRINO,
    tools: ['javac', 'mvn'],
    fetch(folder) {
      const whole = [`io.trino:trino-main:${TRINO}`, `io.trino:trino-memory:${TRINO}`];
      // Only partitions and Hive's grammar are needed, not its reading of files.
      const alone = [`io.trino:trino-hive:${TRINO}`, 'io.trino.coral:coral:2.2.14-1'];
      return copyArchives(join(folder, 'lib'), whole, alone);
    },
    launch(folder, port) {
      const source = join(import.meta.dirname, 'trino', 'TrinoServer.java');
      const args = ['-Xmx1g', ...SHORT_LIVED, '-cp', join(folder, 'lib', '*'), source, `${port}`];
      const says = 'Trino can be asked.';
      return { file: 'java', args, environment: {}, health: `${urlOf(port)}/v1/info`, says };
    },
  },
} as const satisfies Record<string, Part>;

/** Files outside `outside/` also run in `npm test`, on the embedded endpoints. */
export const SUITES: Suites<keyof typeof PARTS> = {
  'adapters/store/table.test.ts': ['dynamodb'],
  'adapters/store/lease.test.ts': ['dynamodb'],
  'adapters/store/checkpoints.test.ts': ['dynamodb'],
  'adapters/store/items.test.ts': ['dynamodb'],
  'adapters/sink/firehose.test.ts': ['moto'],
  'adapters/sink/dead-letters.test.ts': ['moto'],
  'adapters/sink/logs.test.ts': ['moto'],
  'adapters/source/credentials.test.ts': ['moto'],
  'function/handler.test.ts': ['dynamodb', 'moto'],
  'outside/crash/crash.long.ts': ['dynamodb', 'moto'],
  'outside/real/athena.real.ts': ['trino'],
  'outside/real/differences-dynamodb.real.ts': ['dynamodb'],
  'outside/real/tokens.real.ts': ['keycloak'],
  'outside/real/reader.real.ts': ['dynamodb', 'moto'],
};
