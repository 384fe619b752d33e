import { paint } from '../report/paint.ts';
import type { Diagnosis } from './check.ts';

const PAINT: Readonly<Record<Diagnosis['status'], (text: string) => string>> = {
  ok: paint.good,
  warn: paint.unconfirmed,
  fail: paint.bad,
  skipped: paint.faint,
};

/** A line a check, beneath it what to do, and last what it comes down to. */
export function diagnosesText(all: readonly Diagnosis[]): string {
  const width = Math.max(...all.map(({ name }) => name.length));
  const indent = ' '.repeat('skipped'.length + width + 4);
  const lines = all.flatMap(({ name, status, text, remedy }) => [
    `${PAINT[status](status.padEnd('skipped'.length))}  ${name.padEnd(width)}  ${text}`,
    ...(remedy ? [`${indent}→ ${remedy}`] : []),
  ]);
  return [...lines, '', summary(all)].join('\n');
}

function summary(all: readonly Diagnosis[]): string {
  const count = (status: Diagnosis['status']) => all.filter(each => each.status === status).length;
  const parts = [
    `${count('ok')} ok`,
    `${count('warn')} to look at`,
    `${count('fail')} failed`,
    `${count('skipped')} skipped`,
  ];
  return parts.join(', ');
}
