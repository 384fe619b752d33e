import type { Fault } from './fault.ts';

/** Readers are granted `events/` of a bucket, and S3 announces one prefix on one queue only. */
export const SHARED_BUCKET =
  'would let the SIEM reader of each connector read the other’s events: give each connector its own bucket';

/**
 * Members that no two connectors may share. Stacks, metrics and alarms are named after `name`; credentials belong to one
 * organization, so a secret used twice would send every event twice.
 */
const UNIQUE: Readonly<Record<string, string>> = {
  name: 'would collide: stacks, metrics and alarms are named after it',
  secretArn: 'is one organization’s credentials: two connectors would send each event twice',
  bucketArn: SHARED_BUCKET,
};

/** Values given twice, whatever else is wrong with the list. */
export function collisions(list: unknown): Fault[] {
  if (!Array.isArray(list)) return [];
  const repeatedValues = Object.entries(UNIQUE).flatMap(([member, reason]) => repeated(list, member, reason));
  return [...repeatedValues, ...repeatedProviders(list)];
}

function repeated(list: readonly unknown[], member: string, reason: string): Fault[] {
  const firstAt = new Map<string, number>();
  return list.flatMap((entry, index) => {
    const value = (entry as Record<string, unknown> | null)?.[member];
    if (typeof value !== 'string') return [];
    const earlier = firstAt.get(value);
    if (earlier === undefined) {
      firstAt.set(value, index);
      return [];
    }
    return [{ path: `connectors[${index}].${member}`, reason: `${reason}; connectors[${earlier}] has it already` }];
  });
}

/** An account holds an identity provider once, so only one connector of an account may make it. */
function repeatedProviders(list: readonly unknown[]): Fault[] {
  const accounts = new Set<string>();
  return list.flatMap((entry, index) => {
    const { account = '', siemReader } = (entry ?? {}) as { account?: string; siemReader?: Record<string, unknown> };
    if (siemReader?.['createOidcProvider'] !== true) return [];
    const place = `${account} ${siemReader['cloud'] ?? 'commercial'}`;
    if (!accounts.has(place)) {
      accounts.add(place);
      return [];
    }
    const reason = 'would collide: an account holds the provider once, and another connector makes it already';
    return [{ path: `connectors[${index}].siemReader.createOidcProvider`, reason }];
  });
}
