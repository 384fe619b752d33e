/** Names in the catalogue and in Athena. Known at synth, since the text of a view holds its database. */

/** Hyphens would have to be quoted in every query. A connector's name holds no underscore, so two never meet here. */
export function databaseName(connectorName: string): string {
  return `security_data_${connectorName.replaceAll('-', '_')}`;
}

export function workgroupName(connectorName: string): string {
  return `security-data-${connectorName}`;
}

/** The table of delivered lines, which the view `events` reads. */
export const LINES_TABLE = 'lines';
