import { liveOnce } from './life.ts';
import type { Platform } from './platform.ts';

/** How fast an estate lives. */
export interface TrafficPace {
  /** Changes a second from now on; 0 stops them, and when this returns none is under way. */
  setRate(rate: number): void;
}

const TICK = 100;

/** Spreads `rate` changes over each second, until the rate is 0. */
export function startTraffic(platform: Platform, random: () => number, rate: number): TrafficPace {
  let timer: NodeJS.Timeout | undefined;
  const pace: TrafficPace = {
    setRate(changes) {
      clearInterval(timer);
      let due = 0;
      const live = (): void => {
        for (due += (changes * TICK) / 1000; due >= 1; due--) liveOnce(platform, random);
      };
      timer = changes > 0 ? setInterval(live, TICK) : undefined;
    },
  };
  pace.setRate(rate);
  return pace;
}
