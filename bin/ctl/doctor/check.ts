/** How a check of the doctor is put together: see checks/. */
import type { DoctorContext } from './patient.ts';

/** What a check found. */
export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
}

export interface Check<C = DoctorContext> {
  /** In kebab case; other checks and machines name it so. */
  readonly name: string;
  /** Checks without whose success this one says nothing. */
  readonly needs?: readonly string[];
  /** What it throws is a failure. @returns what was found; a check of several things says the worst */
  readonly look: (context: C) => Promise<Finding>;
}

export interface Diagnosis extends Finding {
  readonly name: string;
}

export const ok = (text: string): Finding => ({ status: 'ok', text });
export const warn = (text: string, remedy: string): Finding => ({ status: 'warn', text, remedy });
export const fail = (text: string, remedy: string): Finding => ({ status: 'fail', text, remedy });
export const skipped = (text: string): Finding => ({ status: 'skipped', text });
