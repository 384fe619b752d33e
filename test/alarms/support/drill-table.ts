import type { DrillResult } from './drill.ts';

const HEAD = `# Alarm tests

Each incident is caused on the embedded platform and the local AWS endpoints, while the function runs once per simulated minute. The test evaluates the
metrics on stdout by the alarms of the synthesized template, as CloudWatch documents it. Exactly these alarms fire, and all of them end within an hour and
a half after the incident. Where no local endpoint can do what a service does, *fed* names the metric that the test reports.

**Minutes** are counted from the first minute of the incident, and those in parentheses from its fix to the end of the alarm, where it lasts until then.
CloudWatch and the notification add one or two. Alarms in **bold** are critical, the others
are warnings. [The runbook](runbook.md) says what to do.

Made by \`npm run alarm-tests -- --write\`.
`;

/** docs/alarm-tests.md */
export function drillTable(
  incidents: readonly DrillResult[],
  health: readonly DrillResult[],
  critical: ReadonlySet<string>,
): string {
  const rows = incidents.map(result => [result.incident.name, howOf(result), alarmsOf(result, critical)]);
  const quiet = health.map(result => [result.incident.name, howOf(result), `${result.incident.minutes}`]);
  return [
    HEAD,
    '## Incidents and their alarms\n',
    table(['Incident', 'How it is caused', 'Alarms, and minutes to each (and from the fix to its end)'], rows),
    '\n## No-alarm scenarios\n',
    table(['What happens', 'How it is caused', 'Minutes observed'], quiet),
    '',
  ].join('\n');
}

function howOf({ incident: { caused, fed } }: DrillResult): string {
  return fed === undefined ? caused : `${caused}; *fed*: ${fed}`;
}

function alarmsOf({ fired, ended }: DrillResult, critical: ReadonlySet<string>): string {
  return [...fired]
    .map(([name, minutes]) => {
      const quoted = `\`${name}\``;
      const end = ended.has(name) ? ` (${ended.get(name)})` : '';
      return `${critical.has(name) ? `**${quoted}**` : quoted} ${minutes}${end}`;
    })
    .join(', ');
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
