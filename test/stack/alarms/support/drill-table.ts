import type { DrillResult } from './drill.ts';

/** Rows of the table of alarms in docs/testing.md. */
export function drillRows(incidents: readonly DrillResult[], critical: ReadonlySet<string>): string[][] {
  return incidents.map(result => [result.incident.name, alarmsOf(result, critical)]);
}

function alarmsOf({ fired, ended, incident: { fed } }: DrillResult, critical: ReadonlySet<string>): string {
  const alarms = [...fired].map(([name, minutes]) => {
    const quoted = `\`${name}\``;
    const end = ended.has(name) ? ` (${ended.get(name)})` : '';
    return `${critical.has(name) ? `**${quoted}**` : quoted} ${minutes}${end}`;
  });
  return [...alarms, ...(fed === undefined ? [] : [`*${fed}*`])].join(', ');
}
