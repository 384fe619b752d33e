import { API_INCIDENTS } from '../../../local/incidents/api.ts';
import { AWS_INCIDENTS } from '../../../local/incidents/aws.ts';
import { HARMLESS, HEALTH } from '../../../local/incidents/health.ts';
import type { Incident } from '../../../local/incidents/incident.ts';
import { SERVICE_INCIDENTS } from '../../../local/incidents/services.ts';

/** What on-call must hear of. */
export const INCIDENTS: readonly Incident[] = [...API_INCIDENTS, ...AWS_INCIDENTS, ...SERVICE_INCIDENTS];

/** What on-call must not hear of. */
export const NO_INCIDENTS: readonly Incident[] = [...HEALTH, ...HARMLESS];
