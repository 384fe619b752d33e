import type { DrillResult } from './drill.ts';

/** Rows of the table of alarms in docs/testing.md. */
export function drillRows(incidents: readonly DrillResult[], critical: ReadonlySet<string>): string[][] {
  return incidents.map(result => [result.incident.name, alarmsOf(result, critical)]);
}

/** For example `**\`stream-silent\`** 33`: the alarm fires in minute 33, and it is critical. */
function alarmsOf({ fired }: DrillResult, critical: ReadonlySet<string>): string {
  const alarms = [...fired].map(([name, minutes]) =>
    critical.has(name) ? `**\`${name}\`** ${minutes}` : `\`${name}\` ${minutes}`,
  );

  return alarms.join(', ');
}
