/** There is nothing to ask: the folder or its files are not there, or the options are wrong. Nothing was read. */
export class QueryRequestError extends Error {
  override readonly name = 'QueryRequestError';
}

/** The SQL cannot be run. The files are as they were. */
export class QueryFailedError extends Error {
  override readonly name = 'QueryFailedError';
}
