/** What a look comes down to: one line, and whether somebody should act. */
import { type AlarmState, URGENCIES } from '../alarms/read-alarms.ts';
import { isTroubled } from '../deployment/stack-status.ts';
import type { Look } from './look.ts';
import { known, type ReadResult } from './reading.ts';
import { type StreamLook, streamLooks } from './stream-condition.ts';

export interface Result {
  readonly word: 'unhealthy' | 'paused' | 'in progress' | 'healthy';
  /** The reasons, most important first; empty where all is well. */
  readonly reasons: readonly string[];
}

export function resultOf(look: Look): Result {
  const streams = streamLooks(look);
  const paused = known(look.schedule)?.enabled === false;
  const unhealthy = [
    ...alarmed(look),
    ...broken(streams, paused),
    ...stackTrouble(look),
    ...silenced(look),
    ...hidden(look),
  ];
  if (unhealthy.length > 0) return { word: 'unhealthy', reasons: unhealthy };
  if (paused) return { word: 'paused', reasons: ['the schedule is off'] };
  const underWay = streams.filter(({ condition }) => condition === 'backfilling' || condition === 'never run');
  if (underWay.length > 0) {
    return { word: 'in progress', reasons: underWay.map(({ stream, condition }) => `${stream} ${condition}`) };
  }
  return { word: 'healthy', reasons: [] };
}

export function resultText({ word, reasons }: Result): string {
  if (word === 'healthy') return 'well: every stream is caught up';
  return `${word}: ${reasons.join('; ')}`;
}

/** The alarms in alarm, those that page first. */
export function inAlarm({ alarms }: Look): AlarmState[] {
  const all = known(alarms)?.alarms.filter(({ state }) => state === 'ALARM') ?? [];
  const rank = ({ urgency }: AlarmState) => (urgency === 'page' ? 0 : 1);
  return all.toSorted((a, b) => rank(a) - rank(b));
}

function alarmed(look: Look): string[] {
  return inAlarm(look).map(({ name }) => `alarm ${name}`);
}

/** While the schedule is off, silence is meant. */
function broken(streams: readonly StreamLook[], paused: boolean): string[] {
  const kinds = paused ? (['damaged', 'failing'] as const) : (['damaged', 'failing', 'silent'] as const);
  return kinds.flatMap(kind =>
    streams.filter(({ condition }) => condition === kind).map(({ stream }) => `${stream} ${kind}`),
  );
}

/** A deployment in progress is no fault. One that was rolled back has left the stack as it was, and somebody must look at it. */
function stackTrouble({ deployment: { stackStatus } }: Look): string[] {
  return isTroubled(stackStatus) ? [`stack ${stackStatus}`] : [];
}

/** Alarms that tell nobody are as good as none; while the schedule is off it is meant so. */
function silenced({ alarms, schedule }: Look): string[] {
  const seen = known(alarms);
  if (!seen || known(schedule)?.enabled === false) return [];
  const { notifiers } = seen;
  const gone = URGENCIES.filter(each => !notifiers.some(({ name }) => name === each));
  if (gone.length === URGENCIES.length || seen.alarms.length === 0) return ['the alarms are gone'];
  if (gone.length > 0) return [`the alarm ${gone.join(', ')} is gone`];
  return notifiers.some(({ tells }) => !tells) ? ['the alarms are muted'] : [];
}

/** Of what cannot be read nobody can say that it is well. */
function hidden(look: Look): string[] {
  const parts: Readonly<Record<string, ReadResult<unknown> | undefined>> = {
    settings: look.off,
    table: look.state,
    metrics: look.activity,
    schedule: look.schedule,
    alarms: look.alarms,
    'dead letters': look.deadLetters,
    'schedule dead-letter queue': look.scheduleDeadLetters,
    'SIEM queue': look.siem?.queue,
    'SIEM dead-letter queue': look.siem?.deadLetters,
  };
  return Object.entries(parts).flatMap(([name, part]) =>
    part && 'notReadable' in part ? [`${name} not readable`] : [],
  );
}
