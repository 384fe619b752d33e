import { styleText } from 'node:util';

/** Colours for a terminal alone; Node honours NO_COLOR and FORCE_COLOR. */
export const paint = {
  good: (text: string) => styleText('green', text, { stream: process.stdout }),
  bad: (text: string) => styleText('red', text, { stream: process.stdout }),
  doubtful: (text: string) => styleText('yellow', text, { stream: process.stdout }),
  faint: (text: string) => styleText('dim', text, { stream: process.stdout }),
} as const;
