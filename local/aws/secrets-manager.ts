import { type JsonObject, jsonRefusal, jsonReply, MISSING_TOKEN, readJsonRequest, stringMember } from './protocols.ts';
import { AwsError, type Operation } from './service.ts';
import type { Service } from './wire.ts';

export const SECRETS_TARGET = 'secretsmanager';

export interface SecretControls {
  /** ARN of the secret. Calls accept it and the name. */
  readonly arn: string;
  /** Rotates: the new value becomes AWSCURRENT, the one before AWSPREVIOUS. Undefined leaves the secret without a value. */
  put(value: string | undefined): void;
}

export interface SecretOptions {
  readonly name: string;
  readonly value: string | undefined;
  readonly region: string;
  readonly account: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface SecretOperation extends Operation {
  readonly input: JsonObject;
  readonly secretId: string;
}

type Action = (input: JsonObject) => JsonObject;

/** Secrets Manager with one secret, which can be read, replaced and described. */
export function createSecretsManager(options: SecretOptions): {
  service: Service<SecretOperation>;
  controls: SecretControls;
} {
  const versions = createSecretVersions();
  // Secrets Manager ends a secret's ARN in six random characters. They are fixed here, so that every run has the same ARN.
  const arnOf = (name: string): string =>
    `arn:aws:secretsmanager:${options.region}:${options.account}:secret:${name}-local0`;
  const arn = arnOf(options.name);
  const put = (value: string, id: string): void => versions.put({ id, value, created: options.now() });
  const controls: SecretControls = {
    arn,
    put: value => (value === undefined ? versions.put(undefined) : put(value, crypto.randomUUID())),
  };
  controls.put(options.value);
  const about = { ARN: arn, Name: options.name };
  const created = options.now() / 1000;
  const actions: Readonly<Record<string, Action>> = {
    GetSecretValue: input => ({ ...about, ...valueJson(versions, input) }),
    PutSecretValue: input => ({ ...about, ...replaceValue(versions, put, input) }),
    DescribeSecret: () => ({ ...about, CreatedDate: created, ...labelsJson(versions) }),
  };
  const service: Service<SecretOperation> = {
    name: 'secretsmanager',
    unsigned: MISSING_TOKEN,
    understand(request) {
      const { action, input } = readJsonRequest(request, SECRETS_TARGET);
      const secretId = stringMember(input, 'SecretId');
      const resource = secretId.startsWith('arn:') ? secretId : arnOf(secretId);
      return { action, permission: `secretsmanager:${action}`, resource, input, secretId };
    },
    async perform({ action, input, secretId }) {
      const act = actions[action];
      if (!act) throw new AwsError(400, 'UnknownOperationException', `${action} is not part of this endpoint.`);
      if (secretId === options.name || secretId === arn) return jsonReply('1.1', act(input));
      throw new AwsError(400, 'ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
    },
    refusal: error => jsonRefusal('1.1', error),
  };
  return { service, controls };
}

function valueJson(versions: SecretVersions, input: JsonObject): JsonObject {
  const [stage, { id, value, created }] = versions.choose(input);
  return { VersionId: id, SecretString: value, VersionStages: [stage], CreatedDate: created / 1000 };
}

const LONGEST_VALUE_BYTES = 65_536;

/** The token is the id of the version, which makes the call idempotent. */
function replaceValue(
  versions: SecretVersions,
  put: (value: string, id: string) => void,
  input: JsonObject,
): JsonObject {
  const { SecretString: value, ClientRequestToken: token = crypto.randomUUID() } = input;
  if (typeof value !== 'string') {
    throw new AwsError(400, 'InvalidRequestException', 'You must provide either SecretString or SecretBinary.');
  }
  if (Buffer.byteLength(value) > LONGEST_VALUE_BYTES) {
    const fault = `Member must have length less than or equal to ${LONGEST_VALUE_BYTES}`;
    const message = `1 validation error detected: Value at 'secretString' failed to satisfy constraint: ${fault}`;
    throw new AwsError(400, 'ValidationException', message);
  }
  const id = String(token);
  const known = versions.list().find(([, version]) => version.id === id)?.[1];
  if (known && known.value !== value) {
    const message = "You can't modify an existing version, you can only create a new version.";
    throw new AwsError(400, 'ResourceExistsException', message);
  }
  if (!known) put(value, id);
  return { VersionId: id, VersionStages: ['AWSCURRENT'] };
}

function labelsJson(versions: SecretVersions): JsonObject {
  const list = versions.list();
  if (list.length === 0) return {};
  const changed = Math.max(...list.map(([, { created }]) => created)) / 1000;
  return {
    LastChangedDate: changed,
    VersionIdsToStages: Object.fromEntries(list.map(([stage, { id }]) => [id, [stage]])),
  };
}

export type Stage = 'AWSCURRENT' | 'AWSPREVIOUS';

export interface SecretVersion {
  readonly id: string;
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly created: number;
}

type SecretVersions = ReturnType<typeof createSecretVersions>;

/** The versions of one secret that have a staging label. */
function createSecretVersions() {
  const versions = new Map<Stage, SecretVersion>();
  const set = (stage: Stage, version: SecretVersion | undefined): void => {
    if (version) versions.set(stage, version);
    else versions.delete(stage);
  };
  return {
    /** The version becomes AWSCURRENT, the one before AWSPREVIOUS. Undefined leaves the secret without a value. */
    put(version: SecretVersion | undefined): void {
      set('AWSPREVIOUS', versions.get('AWSCURRENT'));
      set('AWSCURRENT', version);
    },
    /** By the `VersionId` and `VersionStage` of the input. @throws AwsError ResourceNotFoundException */
    choose({ VersionStage: stage, VersionId: id }: JsonObject): [Stage, SecretVersion] {
      for (const [name, version] of versions) {
        const asked =
          id === undefined ? name === (stage ?? 'AWSCURRENT') : id === version.id && name === (stage ?? name);
        if (asked) return [name, version];
      }
      const what = id === undefined ? `staging label: ${String(stage ?? 'AWSCURRENT')}` : `VersionId: ${String(id)}`;
      const message = `Secrets Manager can't find the specified secret value for ${what}`;
      throw new AwsError(400, 'ResourceNotFoundException', message);
    },
    list: () => [...versions],
  };
}
