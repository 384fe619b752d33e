import { API_INCIDENTS } from './incidents/api.ts';
import { AWS_INCIDENTS } from './incidents/aws.ts';
import { HEALTH } from './incidents/health.ts';
import { MEMORY_INCIDENT } from './incidents/memory.ts';
import { SERVICE_INCIDENTS } from './incidents/services.ts';
import type { Incident } from './support/incident.ts';

/** What on-call must hear of. */
export const INCIDENTS: readonly Incident[] = [
  ...API_INCIDENTS,
  ...AWS_INCIDENTS,
  MEMORY_INCIDENT,
  ...SERVICE_INCIDENTS,
];

/** What on-call must not hear of. */
export const NO_INCIDENTS = HEALTH;
