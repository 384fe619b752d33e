/** The registered kinds of destination, by their `type`, and what is asked about the one that a connector has. */
import { type KindsOf, kindsSchema } from '../config/option.ts';
import type { DestinationKind } from './destination.ts';
import { existing } from './existing.ts';
import { http } from './http.ts';
import { s3 } from './s3.ts';
import { splunk } from './splunk.ts';

export const DESTINATIONS = {
  s3,
  splunk,
  http,
  existing,
} as const;

/** What the delivery stream of a connector delivers to. */
export type Destination = KindsOf<typeof DESTINATIONS>;

export const destinationSchema = kindsSchema(DESTINATIONS);

/** Firehose's longest buffer interval, assumed for an existing stream. */
const LONGEST_BUFFER_SECONDS = 900;

/** Undefined at runtime where `cdk.json` names an unknown type. */
export function kindOf({ type }: { readonly type: string }): DestinationKind {
  return DESTINATIONS[type as keyof typeof DESTINATIONS] as unknown as DestinationKind;
}

export type DeliveryMetricPrefix = NonNullable<DestinationKind['metrics']>;

export function deliveryMetricPrefix(destination: Destination): DeliveryMetricPrefix {
  const type = destination.type === 'existing' ? (destination.deliversTo ?? 's3') : destination.type;
  return kindOf({ type }).metrics!;
}

/** How long Firehose may buffer events by design. */
export function bufferSecondsOf(destination: Destination): number {
  if (destination.type === 'existing') return LONGEST_BUFFER_SECONDS;
  const byDefault = DESTINATIONS[destination.type].optional.bufferInterval.default;
  return destination.bufferInterval?.toSeconds() ?? byDefault;
}
