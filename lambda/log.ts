import { Logger } from '@aws-lambda-powertools/logger';
import { publicError } from './core/public-error.ts';
import type { Log } from './ports.ts';

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
