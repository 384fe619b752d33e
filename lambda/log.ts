import { Logger } from '@aws-lambda-powertools/logger';
import { publicError } from './core/public-error.ts';
import type { Log } from './ports.ts';

/**
 * Creates a log that writes JSON lines to stdout, in the form that CloudWatch Logs Insights reads.
 */
export function createLog(connector: string): Log {
  const logger = new Logger({ serviceName: connector });
  return {
    info: (message, fields) => logger.info(message, { ...fields }),
    warn: (message, fields) => logger.warn(message, { ...fields }),
    error: (message, error, fields) => logger.error(message, { ...fields, error: described(publicError(error)) }),
  };
}

/**
 * Describes an error by its name, message, stack, code and causes. If the logger were given the
 * error itself, it would write all of its members.
 */
function described(error: Error): object {
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? { code: error.code } : {};
  return { name, message, ...code, stack, ...(cause instanceof Error && { cause: described(cause) }) };
}
