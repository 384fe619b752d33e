import { AwsError } from './aws-error.ts';
import {
  type JsonObject,
  jsonRefusal,
  jsonReply,
  MISSING_TOKEN,
  readJsonRequest,
  stringMember,
} from './json-protocol.ts';
import type { Operation, Service } from './wire.ts';

export interface SecretControls {
  /** ARN of the secret, which `GetSecretValue` takes as well as its name. */
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

interface Version {
  readonly id: string;
  readonly value: string;
  readonly created: number;
}

type Stage = 'AWSCURRENT' | 'AWSPREVIOUS';

interface SecretOperation extends Operation {
  readonly input: JsonObject;
  readonly secretId: string;
}

/** Secrets Manager with one secret and `GetSecretValue`. */
export function createSecretsManager(options: SecretOptions): {
  service: Service<SecretOperation>;
  controls: SecretControls;
} {
  const versions: Partial<Record<Stage, Version>> = {};
  // A name's ARN ends in six characters that Secrets Manager draws; fixed here, so that a second run has the same.
  const arnOf = (name: string): string =>
    `arn:aws:secretsmanager:${options.region}:${options.account}:secret:${name}-local0`;
  const arn = arnOf(options.name);
  const controls: SecretControls = {
    arn,
    put(value) {
      versions.AWSPREVIOUS = versions.AWSCURRENT;
      versions.AWSCURRENT =
        value === undefined ? undefined : { id: crypto.randomUUID(), value, created: options.now() };
    },
  };
  controls.put(options.value);
  const service: Service<SecretOperation> = {
    name: 'secretsmanager',
    unsigned: MISSING_TOKEN,
    understand(request) {
      const { action, input } = readJsonRequest(request, 'secretsmanager');
      const secretId = stringMember(input, 'SecretId');
      const resource = secretId.startsWith('arn:') ? secretId : arnOf(secretId);
      return { action, permission: `secretsmanager:${action}`, resource, input, secretId };
    },
    async perform({ action, input, secretId }) {
      if (action !== 'GetSecretValue') {
        throw new AwsError(400, 'UnknownOperationException', `${action} is not part of this endpoint.`);
      }
      if (secretId !== options.name && secretId !== arn)
        throw notFound("Secrets Manager can't find the specified secret.");
      const [stage, version] = choose(versions, input);
      const body = { ARN: arn, Name: options.name, VersionId: version.id, SecretString: version.value };
      return jsonReply('1.1', { ...body, VersionStages: [stage], CreatedDate: version.created / 1000 });
    },
    refusal: error => jsonRefusal('1.1', error),
  };
  return { service, controls };
}

function choose(versions: Partial<Record<Stage, Version>>, input: JsonObject): [Stage, Version] {
  const { VersionStage: stage, VersionId: id } = input;
  for (const [name, version] of Object.entries(versions) as [Stage, Version | undefined][]) {
    const asked = id === undefined ? name === (stage ?? 'AWSCURRENT') : id === version?.id && name === (stage ?? name);
    if (version && asked) return [name, version];
  }
  const what = id === undefined ? `staging label: ${String(stage ?? 'AWSCURRENT')}` : `VersionId: ${String(id)}`;
  throw notFound(`Secrets Manager can't find the specified secret value for ${what}`);
}

function notFound(message: string): AwsError {
  return new AwsError(400, 'ResourceNotFoundException', message);
}
