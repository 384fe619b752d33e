/** Files for Microsoft Sentinel: an ARM template of table, data collection rule, functions and connection, and queries. */
import { GENERATED, json, NOT_FOR } from './event-facts.ts';
import { COLUMNS, FUNCTIONS, kqlFile, STREAM, TABLE, transformation } from './kusto.ts';

const DEFINITION = 'SecurityDataConnectorDefinition';
const WORKSPACE = "parameters('workspace')";
const LOCATION = "[parameters('location')]";

/** In a workspace resource, names begin with that of the workspace. */
function inWorkspace(name: string): string {
  return `[concat(${WORKSPACE}, '/${name}')]`;
}

function inSentinel(name: string): string {
  return inWorkspace(`Microsoft.SecurityInsights/${name}`);
}

const WORKSPACE_ID = `resourceId('Microsoft.OperationalInsights/workspaces', ${WORKSPACE})`;
const TABLE_ID = `resourceId('Microsoft.OperationalInsights/workspaces/tables', ${WORKSPACE}, '${TABLE}')`;
const ENDPOINT_ID = "resourceId('Microsoft.Insights/dataCollectionEndpoints', 'security-data')";
const RULE_ID = "resourceId('Microsoft.Insights/dataCollectionRules', 'security-data')";

export const TABLE_PROPERTIES = {
  retentionInDays: "[parameters('retentionDays')]",
  schema: {
    name: TABLE,
    columns: [
      { name: 'TimeGenerated', type: 'datetime' as const },
      ...COLUMNS.map(({ name, type }) => ({ name, type })),
    ],
  },
};

export const RULE_PROPERTIES = {
  dataCollectionEndpointId: `[${ENDPOINT_ID}]`,
  streamDeclarations: {
    [STREAM]: {
      columns: COLUMNS.map(({ member, type }) => ({
        name: member,
        // Text or number.
        type: member === 'stream_position' ? ('dynamic' as const) : type,
      })),
    },
  },
  destinations: { logAnalytics: [{ name: 'workspace', workspaceResourceId: `[${WORKSPACE_ID}]` }] },
  dataFlows: [
    {
      streams: [STREAM],
      destinations: ['workspace'],
      transformKql: transformation(),
      outputStream: `Custom-${TABLE}`,
    },
  ],
};

const UI = {
  id: DEFINITION,
  title: 'Security Data Connector',
  publisher: 'Security Data Connector',
  descriptionMarkdown: 'Assets, threats and DNS blocks of one organization, from the queue of its connector in AWS.',
  graphQueriesTableName: TABLE,
  graphQueries: [{ metricName: 'Events received', legend: 'Events', baseQuery: TABLE }],
  sampleQueries: FUNCTIONS.map(({ name, says }) => ({ description: says, query: `${name}\n| take 10` })),
  dataTypes: [
    {
      name: TABLE,
      lastDataReceivedQuery: `${TABLE}\n| summarize Time = max(TimeGenerated)\n| where isnotempty(Time)`,
    },
  ],
  connectivityCriteria: [{ type: 'HasDataConnectors' }],
  availability: { status: 1, isPreview: false },
  permissions: {
    resourceProvider: [
      {
        provider: 'Microsoft.OperationalInsights/workspaces',
        permissionsDisplayText: 'Read and write permissions are required.',
        providerDisplayName: 'Workspace',
        scope: 'Workspace',
        requiredPermissions: { read: true, write: true, delete: true, action: false },
      },
    ],
  },
  instructionSteps: [
    {
      title: 'Connection',
      description:
        'azuredeploy.json makes the connection. Deploy it again with another roleArn and queueUrl to change it.',
      instructions: [
        {
          type: 'DataConnectorsGrid',
          parameters: {
            mapping: [
              { columnName: 'Role ARN', columnValue: 'properties.roleArn' },
              { columnName: 'Queue URL', columnValue: 'properties.sqsUrls[0]' },
            ],
            menuItems: ['DeleteConnector'],
          },
        },
      ],
    },
  ],
};

export const CONNECTION_PROPERTIES = {
  connectorDefinitionName: DEFINITION,
  dataTypes: { logs: { state: 'enabled' } },
  destinationTable: `Custom-${TABLE}`,
  dataFormat: { Format: 'JsonLine', IsCompressed: true, compressType: 'Gzip' },
  roleArn: "[parameters('roleArn')]",
  sqsUrls: ["[parameters('queueUrl')]"],
  dcrConfig: {
    streamName: STREAM,
    dataCollectionEndpoint: `[reference(${ENDPOINT_ID}, '2022-06-01').logsIngestion.endpoint]`,
    dataCollectionRuleImmutableId: `[reference(${RULE_ID}, '2022-06-01').immutableId]`,
  },
};

const TEMPLATE = {
  $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
  contentVersion: '1.0.0.0',
  metadata: {
    comments: [
      'Security Data Connector: table, data collection rule, functions, connector definition and connection.',
      GENERATED,
      ...NOT_FOR,
      'Deploy into the resource group of the workspace: az deployment group create -g <group> --template-file azuredeploy.json.',
      'Two connectors may share the workspace: deploy it again with another connectionName, roleArn and queueUrl.',
    ].join(' '),
  },
  parameters: {
    workspace: { type: 'string', metadata: { description: 'Name of the workspace that Sentinel is enabled in.' } },
    location: { type: 'string', defaultValue: '[resourceGroup().location]' },
    roleArn: { type: 'string', metadata: { description: 'Output SiemReaderRoleArn of the stack.' } },
    queueUrl: { type: 'string', metadata: { description: 'Output SiemQueueUrl of the stack.' } },
    connectionName: { type: 'string', defaultValue: 'security-data' },
    retentionDays: {
      type: 'int',
      defaultValue: 730,
      minValue: 30,
      maxValue: 730,
      metadata: { description: 'An id whose newest event is older leaves the view of what exists now.' },
    },
  },
  resources: [
    {
      type: 'Microsoft.OperationalInsights/workspaces/tables',
      apiVersion: '2022-10-01',
      name: inWorkspace(TABLE),
      properties: TABLE_PROPERTIES,
    },
    {
      type: 'Microsoft.Insights/dataCollectionEndpoints',
      apiVersion: '2022-06-01',
      name: 'security-data',
      location: LOCATION,
      properties: { networkAcls: { publicNetworkAccess: 'Enabled' } },
    },
    {
      type: 'Microsoft.Insights/dataCollectionRules',
      apiVersion: '2022-06-01',
      name: 'security-data',
      location: LOCATION,
      dependsOn: [`[${TABLE_ID}]`, `[${ENDPOINT_ID}]`],
      properties: RULE_PROPERTIES,
    },
    ...FUNCTIONS.map(({ name, says, kql }, index) => ({
      type: 'Microsoft.OperationalInsights/workspaces/savedSearches',
      apiVersion: '2020-08-01',
      name: inWorkspace(name),
      // A function must be there before another one uses it.
      dependsOn: [`[${TABLE_ID}]`, ...FUNCTIONS.slice(0, index).map(each => `[${functionId(each.name)}]`)],
      properties: {
        category: 'Security Data Connector',
        displayName: name,
        functionAlias: name,
        query: `// ${says}\n${kql}\n`,
        version: 2,
      },
    })),
    {
      type: 'Microsoft.OperationalInsights/workspaces/providers/dataConnectorDefinitions',
      apiVersion: '2022-09-01-preview',
      name: inSentinel(DEFINITION),
      location: LOCATION,
      kind: 'Customizable',
      properties: { connectorUiConfig: UI },
    },
    {
      type: 'Microsoft.OperationalInsights/workspaces/providers/dataConnectors',
      apiVersion: '2022-12-01-preview',
      name: `[concat(${WORKSPACE}, '/Microsoft.SecurityInsights/', parameters('connectionName'))]`,
      location: LOCATION,
      kind: 'AmazonWebServicesS3',
      dependsOn: [`[${RULE_ID}]`, `[${ENDPOINT_ID}]`],
      properties: CONNECTION_PROPERTIES,
    },
  ],
};

function functionId(name: string): string {
  return `resourceId('Microsoft.OperationalInsights/workspaces/savedSearches', ${WORKSPACE}, '${name}')`;
}

export function sentinelFiles(): Record<string, string> {
  return { 'sentinel/azuredeploy.json': json(TEMPLATE), 'sentinel/queries.kql': kqlFile() };
}
