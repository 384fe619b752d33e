import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { PROJECT_ROOT } from '../../lib/synth.ts';
import { operationsPage, program } from '../cli-reference/operations-page.ts';
import { type Recording, record } from '../cli-reference/record.ts';
import { PAGES } from '../transcripts/pages.ts';

describe('docs/cli.md', () => {
  const recordings: Recording[] = [];
  beforeAll(async () => {
    for (const page of PAGES) recordings.push(await record(page));
  });

  test('is what the commands do: `npm run cli-reference -- --write` makes it anew', () => {
    const kept = readFileSync(path.join(PROJECT_ROOT, 'docs', 'operations.md'), 'utf8');
    expect(operationsPage(recordings)).toBe(kept);
  });

  test('has every command of the program, with a transcript', () => {
    const shown = PAGES.filter(({ scenes }) => scenes.length > 0).map(({ command }) => command);
    expect(shown.toSorted()).toEqual(program.commands.map(command => command.name()).toSorted());
  });

  test('shows nothing that differs from run to run, and no secret', () => {
    for (const { transcripts } of recordings) {
      expect(transcripts.join('')).not.toMatch(/127\.0\.0\.1|local-secret/);
    }
  });
});
