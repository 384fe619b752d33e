import { createReadStream } from 'node:fs';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** The files that are cut short or spoilt. DuckDB reads such a file up to there, and says nothing. */
export async function damagedFiles(files: readonly string[]): Promise<string[]> {
  const damaged: string[] = [];
  for (const file of files) {
    await pipeline(createReadStream(file), createGunzip(), nowhere()).catch(() => damaged.push(file));
  }
  return damaged;
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
