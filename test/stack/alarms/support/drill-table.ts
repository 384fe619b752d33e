import type { DrillResult } from './drill.ts';

const HEAD = `# Alarm tests

Which alarms fire for which incident, and after how many minutes. Each incident is caused on the embedded platform and the local AWS endpoints, and the
alarms of the synthesized template are evaluated as CloudWatch documents it. Exactly these alarms fire. [local/incidents](../local/incidents) has how each
is caused, and [the demo](demo.md) shows them. Alarms in **bold** are critical, the others are warnings: [the runbook](runbook.md) says what to do.

Minutes to fire are counted from the first minute of the incident. Minutes to end follow in parentheses where the alarm lasts until the fix. CloudWatch and
the notification add one or two. No local endpoint has the metrics in *italics*, so the test reports them as AWS documents them.

Made by \`npm run alarm-tests -- --write\`.
`;

/** docs/alarm-tests.md */
export function drillTable(
  incidents: readonly DrillResult[],
  health: readonly DrillResult[],
  critical: ReadonlySet<string>,
): string {
  const rows = incidents.map(result => [result.incident.name, alarmsOf(result, critical)]);
  const quiet = health.map(({ incident: { name, minutes } }) => [name, `${minutes}`]);
  return [
    HEAD,
    '## Incidents and their alarms\n',
    table(['Incident', 'Alarms (minutes to fire, minutes to end after the fix)'], rows),
    '\n## No-alarm scenarios\n',
    table(['What happens', 'Minutes observed'], quiet),
    '',
  ].join('\n');
}

function alarmsOf({ fired, ended, incident: { fed } }: DrillResult, critical: ReadonlySet<string>): string {
  const alarms = [...fired].map(([name, minutes]) => {
    const quoted = `\`${name}\``;
    const end = ended.has(name) ? ` (${ended.get(name)})` : '';
    return `${critical.has(name) ? `**${quoted}**` : quoted} ${minutes}${end}`;
  });
  return [...alarms, ...(fed === undefined ? [] : [`*${fed}*`])].join(', ');
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
