import { Logger } from '@aws-lambda-powertools/logger';
import type { Log } from '../ports.ts';

/** JSON lines on stdout, as CloudWatch Logs Insights reads them. */
export function createLog(connector: string): Log {
  const logger = new Logger({ serviceName: connector });
  return {
    info: (message, fields) => logger.info(message, { ...fields }),
    warn: (message, fields) => logger.warn(message, { ...fields }),
    error: (message, error, fields) => logger.error(message, { ...fields, error: asError(error) }),
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('Something that is no error was thrown');
}
