/** How each part is started, and how the tests reach it. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { PartLaunch } from '../../../support/parts/start-part.ts';
import { PARTS, type PartName } from '../parts.ts';
import type { Running } from '../running.ts';

export interface Launch<P extends PartName = PartName> extends PartLaunch {
  readonly connection: NonNullable<Running[P]>;
}

/** A server of minutes: the second compiler and the parallel collector would take more than they save. */
const ONE_COMPILER = '-XX:TieredStopAtLevel=1';
const SHORT_LIVED = [ONE_COMPILER, '-XX:+UseSerialGC'];

/** Small heaps: the machine is shared with the tests. */
export const LAUNCH: { readonly [P in PartName]: (folder: string, port: number) => Launch<P> } = {
  dynamodb(folder, port) {
    // The native library of SQLite lies beside its archive, where it is looked up first.
    const lib = join(folder, 'lib');
    const main = 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner';
    const url = `http://127.0.0.1:${port}`;
    const args = [
      '-Xmx256m',
      ...SHORT_LIVED,
      '-cp',
      join(lib, '*'),
      main,
      '-inMemory',
      '-disableTelemetry',
      '-port',
      `${port}`,
    ];
    return { file: 'java', args, environment: {}, health: url, connection: { url } };
  },
  moto(folder, port) {
    const url = `http://127.0.0.1:${port}`;
    const args = ['-m', 'moto.server', '-H', '127.0.0.1', '-p', `${port}`];
    const python = join(folder, 'bin', 'python');
    return { file: python, args, environment: {}, health: `${url}/moto-api/`, connection: { url, python } };
  },
  keycloak(folder, port) {
    const url = `http://127.0.0.1:${port}`;
    const script = join(folder, `keycloak-${PARTS.keycloak.version}`, 'bin', 'kc.sh');
    const connection = { url, user: 'admin', password: randomUUID() };
    return {
      file: 'sh',
      // The database is in memory, so each run begins empty.
      args: [
        script,
        'start-dev',
        '--http-host',
        '127.0.0.1',
        '--http-port',
        `${port}`,
        '--db',
        'dev-mem',
        '--cache',
        'local',
      ],
      environment: {
        JAVA_OPTS_KC_HEAP: `-Xms64m -Xmx512m ${ONE_COMPILER}`,
        KC_BOOTSTRAP_ADMIN_USERNAME: connection.user,
        KC_BOOTSTRAP_ADMIN_PASSWORD: connection.password,
      },
      health: `${url}/realms/master`,
      connection,
    };
  },
  trino(folder, port) {
    const url = `http://127.0.0.1:${port}`;
    const archives = join(folder, 'lib', '*');
    const source = join(import.meta.dirname, '..', 'trino', 'TrinoServer.java');
    return {
      file: 'java',
      args: ['-Xmx1g', ...SHORT_LIVED, '-cp', archives, source, `${port}`],
      environment: {},
      health: `${url}/v1/info`,
      says: 'Trino can be asked.',
      connection: { url, archives },
    };
  },
};
