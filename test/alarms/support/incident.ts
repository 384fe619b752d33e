import type { PlatformOptions } from '../../../local/platform/platform.ts';
import type { Scene } from './scene.ts';

/** Something that happens to a connector that was well, and the alarms that on-call is to see. */
export interface Incident {
  readonly name: string;
  /** How it is brought about here; `fed`: a service's metric is told as AWS documents it, because no endpoint here can do it. */
  readonly caused: string;
  readonly fed?: string;
  /** Minutes that it lasts; on-call looks at the alarms all the while. */
  readonly minutes: number;
  /** Options of the connector's configuration. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  readonly platform?: Partial<PlatformOptions>;
  /** Rows that the connector has drained before. */
  readonly begin?: (scene: Scene) => void | Promise<void>;
  /** What happens in each minute, `run` being the schedule's run of it. Default: the run. */
  readonly eachMinute?: (scene: Scene, run: () => Promise<unknown>) => unknown;
  /** Ends it. Absent: it ends by itself. */
  readonly end?: (scene: Scene) => void | Promise<void>;
  /** Names of the alarms that fire, and no others do. */
  readonly alarms: readonly string[];
}

export const STREAMS = ['assets', 'threats', 'dns-blocks'] as const;

/** The alarm on each stream, or on those named. */
export function each(alarm: string, streams: readonly string[] = STREAMS): string[] {
  return streams.map(stream => `${alarm}/${stream}`);
}
