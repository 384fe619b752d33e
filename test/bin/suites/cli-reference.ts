import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { PROJECT_ROOT } from '../../lib/synth.ts';
import { cliPage, program } from '../cli-reference/page.ts';
import { PAGES } from '../cli-reference/pages.ts';
import { type Recording, record } from '../cli-reference/record.ts';

describe('docs/cli.md', () => {
  const recordings: Recording[] = [];
  beforeAll(async () => {
    for (const page of PAGES) recordings.push(await record(page));
  });

  test('is up to date: `npm run cli-reference -- --write` generates it', () => {
    const kept = readFileSync(path.join(PROJECT_ROOT, 'docs', 'cli.md'), 'utf8');
    expect(cliPage(recordings)).toBe(kept);
  });

  test('is recorded from scenes of every command', () => {
    const shown = PAGES.filter(({ scenes }) => scenes.length > 0).map(({ command }) => command);
    expect(shown.toSorted()).toEqual(program.commands.map(command => command.name()).toSorted());
  });

  test('has no changing values and no secret', () => {
    for (const { transcripts } of recordings) {
      expect(transcripts.join('')).not.toMatch(/127\.0\.0\.1|local-secret/);
    }
  });
});
