import type { DrillResult } from './drill.ts';

const HEAD = `# Incident drills

Each incident is brought about against the embedded platform and the local AWS endpoints while the function runs once a simulated minute, as the
default schedule has it. The metrics that it writes to stdout are held against the alarm definitions of the synthesized template, evaluated
as CloudWatch documents it: sliding windows, missing data, and two periods of looking farther back. Exactly these alarms fire, and all of
them end within an hour and a half of the incident's end. Where no endpoint here can do what a service does, *fed* says which of its metrics was told
as AWS documents it.

**Minutes** count from the incident's first minute to the end of the minute in which the alarm fires; CloudWatch and the way to a phone add one or two.
Alarms in **bold** page somebody; the others are a ticket for the morning. What to do about each stands in [the runbook](runbook.md).

Made by \`npm run alarm-tests -- --write\`; a test holds this page equal to what the drills show.
`;

/** docs/alarm-tests.md */
export function drillTable(
  incidents: readonly DrillResult[],
  health: readonly DrillResult[],
  pages: ReadonlySet<string>,
): string {
  const rows = incidents.map(result => [
    result.incident.name,
    howOf(result),
    alarmsOf(result, pages),
    told(result.told.get('page')),
    told(result.told.get('ticket')),
  ]);
  const quiet = health.map(result => [result.incident.name, howOf(result), `${result.incident.minutes}`]);
  return [
    HEAD,
    '## What fires\n',
    table(['Incident', 'How it is brought about', 'Alarms, and minutes to each', 'Page after', 'Ticket after'], rows),
    '\n## What wakes nobody\n',
    table(['What happens', 'How it is brought about', 'Minutes watched'], quiet),
    '',
  ].join('\n');
}

function howOf({ incident: { caused, fed } }: DrillResult): string {
  return fed === undefined ? caused : `${caused}; *fed*: ${fed}`;
}

function alarmsOf({ fired }: DrillResult, pages: ReadonlySet<string>): string {
  return [...fired]
    .map(([name, minutes]) => {
      const quoted = `\`${name}\``;
      return `${pages.has(name) ? `**${quoted}**` : quoted} ${minutes}`;
    })
    .join(', ');
}

function told(minutes: number | undefined): string {
  return minutes === undefined ? '–' : String(minutes);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
