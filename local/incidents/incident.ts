import { STREAMS as FACTS } from '../../lambda/streams.ts';
import type { PlatformOptions } from '../platform/platform.ts';
import type { Scene } from './scene.ts';

/** Something that happens to a healthy connector, and the alarms that on-call must see. */
export interface Incident {
  readonly name: string;
  /** How it is caused here. `fed`: the metric that is reported here as AWS documents it, because no local endpoint can do it. */
  readonly caused: string;
  readonly fed?: string;
  /** Minutes that it lasts. Alarms are evaluated in each. */
  readonly minutes: number;
  /** Options of the connector's configuration, without which it cannot happen. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** Settings that make many pages of few rows, where it needs many pages. */
  readonly paging?: { readonly pageLimit: number; readonly leaseSeconds?: number };
  readonly platform?: Partial<PlatformOptions>;
  /** Starts it, after the connector has read all rows. */
  readonly begin?: (scene: Scene) => void | Promise<void>;
  /** What happens in each minute, counted from 0, `run` being the schedule's run of it. Default: the run. */
  readonly eachMinute?: (scene: Scene, run: () => Promise<unknown>, minute: number) => unknown;
  /** Ends the incident. Absent: it ends without an action. */
  readonly end?: (scene: Scene) => void | Promise<void>;
  /** Names of the alarms that fire, and no others do. */
  readonly alarms: readonly string[];
}

export const STREAMS = FACTS.map(({ name }) => name);
