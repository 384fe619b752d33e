import { API_INCIDENTS } from '../incidents/api.ts';
import { AWS_INCIDENTS } from '../incidents/aws.ts';
import { HARMLESS } from '../incidents/health.ts';
import type { Incident } from '../incidents/incident.ts';
import { SERVICE_INCIDENTS } from '../incidents/services.ts';

export interface IncidentGroup {
  readonly title: string;
  readonly incidents: readonly Incident[];
}

/**
 * The incidents that can happen to the running stack: those that need another configuration, or that no local endpoint can cause, are in the
 * alarm tests only.
 */
export const INCIDENT_GROUPS: readonly IncidentGroup[] = [
  { title: 'The API', incidents: API_INCIDENTS },
  { title: 'AWS', incidents: AWS_INCIDENTS },
  { title: 'Schedule and SIEM', incidents: SERVICE_INCIDENTS },
  { title: 'Nobody must be notified of these', incidents: HARMLESS },
].map(({ title, incidents }) => ({ title, incidents: incidents.filter(canHappen) }));

function canHappen({ configuration, fed }: Incident): boolean {
  return configuration === undefined && fed === undefined;
}

export function incidentNamed(name: string): Incident | undefined {
  return INCIDENT_GROUPS.flatMap(({ incidents }) => incidents).find(each => each.name === name);
}
