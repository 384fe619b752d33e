import type { Part, Suites } from '../launcher.ts';
import { findBrowser } from './browser.ts';

export const PARTS = {
  chromium: { name: 'Chromium', version: 'of this machine', tools: [], find: () => findBrowser(process.env) },
} as const satisfies Record<string, Part>;

export const SUITES: Suites<keyof typeof PARTS> = { 'outside/browser/page.browser.ts': ['chromium'] };
