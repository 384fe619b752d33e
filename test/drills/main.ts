/** Runs every drill and prints its table, or with `--json` what was found; `--write` keeps the table in docs/drills.md. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROJECT_ROOT } from '../lib/synth.ts';
import { INCIDENTS, NO_INCIDENTS } from './incidents.ts';
import { type DrillResult, drill, paging } from './support/drill.ts';
import { drillTable } from './support/drill-table.ts';
import type { Incident } from './support/incident.ts';

/** What a drill has shown, as JSON. */
export interface Finding {
  readonly incident: string;
  readonly fired: readonly string[];
  /** Minutes until somebody was paged. */
  readonly page: number | undefined;
  readonly stuck: readonly string[];
  readonly recovered: boolean;
}

export interface Findings {
  readonly findings: readonly Finding[];
  readonly table: string;
}

async function all(incidents: readonly Incident[]): Promise<DrillResult[]> {
  const results: DrillResult[] = [];
  for (const incident of incidents) {
    console.error(incident.name);
    results.push(await drill(incident));
  }
  return results;
}

function found({ incident, fired, told, stuck, recovered }: DrillResult): Finding {
  return { incident: incident.name, fired: [...fired.keys()].sort(), page: told.get('page'), stuck, recovered };
}

const incidents = await all(INCIDENTS);
const healthy = await all(NO_INCIDENTS);
const table = drillTable(incidents, healthy, paging());
const findings: Findings = { findings: [...incidents, ...healthy].map(found), table };
console.log(process.argv.includes('--json') ? JSON.stringify(findings) : table);
if (process.argv.includes('--write')) await writeFile(path.join(PROJECT_ROOT, 'docs', 'drills.md'), table);
