import type { Fault } from './fault.ts';

/**
 * Members that no two connectors may share. Stacks, metrics and alarms are named after `name`; credentials belong to one
 * organization, so a secret used twice would send every event twice.
 */
const UNIQUE: Readonly<Record<string, string>> = {
  name: 'would collide: stacks, metrics and alarms are named after it',
  secretArn: 'is one organization’s credentials: two connectors would send each event twice',
};

/** Values given twice, whatever else is wrong with the list. */
export function collisions(list: unknown): Fault[] {
  if (!Array.isArray(list)) return [];
  return Object.entries(UNIQUE).flatMap(([member, reason]) => repeated(list, member, reason));
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
