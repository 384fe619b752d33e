/** Runs every incident, and prints a JSON line for each as soon as it has ended. The last line has the table of all. */
import type { Incident } from '../../../local/incidents/incident.ts';
import { INCIDENTS, NO_INCIDENTS } from './incidents.ts';
import { criticalAlarms, type DrillResult, drill } from './support/drill.ts';
import { drillRows } from './support/drill-table.ts';

/** The result of one incident, as JSON. */
export interface Finding {
  readonly incident: string;
  readonly fired: readonly string[];
  /** Minutes until the critical alarm fired. */
  readonly critical: number | undefined;
  readonly stuck: readonly string[];
  readonly recovered: boolean;
}

/** A line of the output. */
export type Line = Finding | { readonly rows: string[][] };

async function all(incidents: readonly Incident[]): Promise<DrillResult[]> {
  const results: DrillResult[] = [];
  for (const incident of incidents) {
    console.error(incident.name);
    const result = await drill(incident);
    print(found(result));
    results.push(result);
  }
  return results;
}

function found({ incident, fired, notified, stuck, recovered }: DrillResult): Finding {
  return {
    incident: incident.name,
    fired: [...fired.keys()].sort(),
    critical: notified.get('critical'),
    stuck,
    recovered,
  };
}

function print(line: Line): void {
  console.log(JSON.stringify(line));
}

const incidents = await all(INCIDENTS);
await all(NO_INCIDENTS);
print({ rows: drillRows(incidents, await criticalAlarms()) });
