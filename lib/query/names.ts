/** Names in the catalogue and in Athena. Known at synth, since the text of a view holds its database. */

/**
 * Hyphens would have to be quoted in every query. A connector's name holds no underscore, so two never meet here; the database of a
 * conversion to Parquet begins otherwise.
 */
export function databaseName(connectorName: string): string {
  return `security_events_${connectorName.replaceAll('-', '_')}`;
}

export function workgroupName(connectorName: string): string {
  return `security-data-${connectorName}`;
}

/** The table of delivered lines, which the view `events` reads. */
export const LINES_TABLE = 'lines';
