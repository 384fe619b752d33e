import { AwsError } from './aws-error.ts';
import type { JsonObject } from './json-protocol.ts';

export type Stage = 'AWSCURRENT' | 'AWSPREVIOUS';

export interface SecretVersion {
  readonly id: string;
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** The versions of one secret that still have a label. */
export interface SecretVersions {
  /** The version becomes AWSCURRENT, the one before AWSPREVIOUS; undefined leaves the secret without a value. */
  put(version: SecretVersion | undefined): void;
  /** By the `VersionId` and `VersionStage` of the input. @throws AwsError ResourceNotFoundException */
  choose(input: JsonObject): [Stage, SecretVersion];
  list(): readonly (readonly [Stage, SecretVersion])[];
}

export function createSecretVersions(): SecretVersions {
  const versions = new Map<Stage, SecretVersion>();
  const set = (stage: Stage, version: SecretVersion | undefined): void => {
    if (version) versions.set(stage, version);
    else versions.delete(stage);
  };
  return {
    put(version) {
      set('AWSPREVIOUS', versions.get('AWSCURRENT'));
      set('AWSCURRENT', version);
    },
    choose({ VersionStage: stage, VersionId: id }) {
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
