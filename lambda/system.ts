import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Logger } from '@aws-lambda-powertools/logger';
import { publicError } from './core/public-error.ts';
import type { Clock, Hash, Log } from './ports.ts';

/** JSON lines on stdout, as CloudWatch Logs Insights reads them. */
export function createLog(connector: string): Log {
  const logger = new Logger({ serviceName: connector });
  return {
    info: (message, fields) => logger.info(message, { ...fields }),
    warn: (message, fields) => logger.warn(message, { ...fields }),
    error: (message, error, fields) => logger.error(message, { ...fields, error: described(publicError(error)) }),
  };
}

/** Name, message, stack, code and causes. Given the error itself, the logger would write all of its members. */
function described(error: Error): object {
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? { code: error.code } : {};
  return { name, message, ...code, stack, ...(cause instanceof Error && { cause: described(cause) }) };
}

export const systemClock: Clock = {
  now: Date.now,
  async sleep(milliseconds, signal) {
    try {
      await wait(milliseconds, undefined, signal ? { signal } : {});
    } catch (error) {
      // Node rejects with an AbortError of its own; the caller is owed the reason.
      throw signal?.aborted ? signal.reason : error;
    }
  },
};

/** 64 lower-case hexadecimal characters. */
export const sha256: Hash = text => hash('sha256', text);
