import { type JsonObject, type JsonOperation, jsonService, stringMember } from './protocols.ts';
import { AwsError } from './service.ts';
import type { Service } from './wire.ts';

export const SECRETS_TARGET = 'secretsmanager';

export interface SecretControls {
  /** ARN of the secret. Calls accept it and the name. */
  readonly arn: string;
  /** The new value. Undefined leaves the secret without a value. */
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

interface Version {
  readonly id: string;
  readonly value: string;
  readonly created: number;
}

const LONGEST_VALUE_BYTES = 65_536;
const VersionStages = ['AWSCURRENT'];

/** Secrets Manager with one secret, of which the current value can be read and replaced. */
export function createSecretsManager(options: SecretOptions): {
  service: Service<JsonOperation>;
  controls: SecretControls;
} {
  const { name, region, account, now } = options;
  // Secrets Manager ends a secret's ARN in six random characters. They are fixed here, so that every run has the same ARN.
  const arnOf = (named: string): string => `arn:aws:secretsmanager:${region}:${account}:secret:${named}-local0`;
  const about = { ARN: arnOf(name), Name: name };
  let current: Version | undefined;
  const put = (value: string, id: string): void => {
    current = { id, value, created: now() };
  };
  const controls: SecretControls = {
    arn: about.ARN,
    put(value) {
      if (value === undefined) current = undefined;
      else put(value, crypto.randomUUID());
    },
  };
  controls.put(options.value);
  const read = (): JsonObject => {
    if (current) {
      const { id, value, created } = current;
      return { ...about, VersionId: id, SecretString: value, VersionStages, CreatedDate: created / 1000 };
    }
    const message = "Secrets Manager can't find the specified secret value for staging label: AWSCURRENT";
    throw new AwsError(400, 'ResourceNotFoundException', message);
  };
  const replace = (input: JsonObject): JsonObject => {
    // The SDK sends a token, which becomes the id of the version.
    const id = String(input['ClientRequestToken'] ?? crypto.randomUUID());
    put(valueIn(input), id);
    return { ...about, VersionId: id, VersionStages };
  };
  const resource = (input: JsonObject): string => {
    const id = stringMember(input, 'SecretId');
    return id.startsWith('arn:') ? id : arnOf(id);
  };
  const known = (act: (input: JsonObject) => JsonObject) => (input: JsonObject) => {
    if (resource(input) === about.ARN) return act(input);
    throw new AwsError(400, 'ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  };
  const actions = { GetSecretValue: known(read), PutSecretValue: known(replace) };
  const service = jsonService({ name: 'secretsmanager', target: SECRETS_TARGET, version: '1.1', resource, actions });
  return { service, controls };
}

/** @throws AwsError InvalidRequestException, ValidationException, without the value */
function valueIn({ SecretString: value }: JsonObject): string {
  if (typeof value !== 'string') {
    throw new AwsError(400, 'InvalidRequestException', 'You must provide either SecretString or SecretBinary.');
  }
  if (Buffer.byteLength(value) <= LONGEST_VALUE_BYTES) return value;
  const problem = `Member must have length less than or equal to ${LONGEST_VALUE_BYTES}`;
  const message = `1 validation error detected: Value at 'secretString' failed to satisfy constraint: ${problem}`;
  throw new AwsError(400, 'ValidationException', message);
}
