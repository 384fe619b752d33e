/** Plays incidents, each once in a process. */
import type { Incident } from '../../../local/incidents/incident.ts';
import { INCIDENTS } from './incidents.ts';
import { type DrillResult, drill } from './support/drill.ts';

const results = new Map<Incident, Promise<DrillResult>>();

export function played(incident: Incident): Promise<DrillResult> {
  const result = results.get(incident) ?? drill(incident);
  results.set(incident, result);
  return result;
}

/** The results of all incidents, one after another, because each uses a whole processor. */
export async function playedIncidents(): Promise<DrillResult[]> {
  const all: DrillResult[] = [];
  for (const incident of INCIDENTS) all.push(await played(incident));
  return all;
}
