/**
 * Makes the asynchronous functions of zstd answer at once. Histories are played in virtual time,
 * which stands still while code runs, but nobody can see whether code waits for a thread of the
 * pool. Loaded before all code that may keep one of these functions.
 */
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';

for (const name of ['zstdCompress', 'zstdDecompress']) {
  const atOnce = zlib[`${name}Sync`];
  zlib[name] = (bytes, ...rest) => {
    const done = rest.pop();
    try {
      process.nextTick(done, null, atOnce(bytes, ...rest));
    } catch (error) {
      process.nextTick(done, error);
    }
  };
}

syncBuiltinESMExports();
