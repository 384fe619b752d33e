const PREFIX = 'security-data-connector';

/**
 * Name under which CloudFormation exports an output. It is unique in account and region, because
 * the connector's name is unique. `connectorctl` finds connectors by these names, because the CDK
 * builds the ids of outputs from paths, a stack may hold several connectors, and organizations
 * rewrite tags.
 */
export function exportName(connectorName: string, output: string): string {
  return `${PREFIX}:${connectorName}:${output}`;
}

/**
 * Returns the connector and the output to which an export belongs; undefined for any other export.
 */
export function parseExportName(
  name: string | undefined,
): { readonly connector: string; readonly output: string } | undefined {
  const [prefix, connector, output, ...others] = name?.split(':') ?? [];
  return prefix === PREFIX && connector && output && others.length === 0 ? { connector, output } : undefined;
}
