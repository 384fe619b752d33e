import type { SimulatorOptions } from '../api-simulator/simulator.ts';
import type { Scene } from './scene.ts';

/** An incident that happens to a healthy connector, with the alarms that on-call must see. */
export interface Incident {
  readonly name: string;
  /** Description of the cause. */
  readonly caused: string;
  /** Duration in minutes. Alarms are evaluated every minute. */
  readonly minutes: number;
  /** Options of the connector's configuration that the incident requires. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** Variables of the function that the incident requires. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly simulator?: Partial<SimulatorOptions>;
  /** Begins the incident, after the connector has read all rows. */
  readonly begin?: (scene: Scene) => void;
  /**
   * Replaces the run of each minute, counted from 0. `run` is the scheduled run of that minute.
   *
   * @default only the scheduled run
   */
  readonly eachMinute?: (scene: Scene, run: () => Promise<unknown>, minute: number) => unknown;
  /** Ends the incident. If undefined, the incident ends without an action. */
  readonly end?: (scene: Scene) => void;
  /** Names of all alarms that fire. */
  readonly alarms: readonly string[];
}
