/**
 * Templates for tests that need no construct: the CDK, which takes seconds to load, is loaded only
 * for one that this run of jest does not have yet.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SynthesizedTemplate } from './template.ts';

/**
 * Folder of this run of jest, whose files share it. Without one, each process synthesizes its own.
 */
const SHARED = process.env['TEMPLATES'];

/** The template of one connector. */
export async function templateWith(options: Readonly<Record<string, unknown>> = {}): Promise<SynthesizedTemplate> {
  const file =
    SHARED && path.join(SHARED, `${createHash('sha256').update(JSON.stringify(options)).digest('hex')}.json`);
  if (file && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const { synthesize } = await import('./synth.ts');
  const template = synthesize(options);
  if (file) {
    const whole = `${file}.${randomUUID()}`;
    writeFileSync(whole, JSON.stringify(template));
    renameSync(whole, file);
  }
  return template;
}
