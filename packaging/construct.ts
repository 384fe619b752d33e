/** What `@security-data-connector/connector` exports: the construct, its props, and what its attributes are. */

export { ConfigurationError, type Problem } from '../lib/config/problem.ts';
export type {
  AlarmName,
  AlarmOverride,
  AlarmOverrides,
  Alarms,
  ByStream,
  ConnectorMetricName,
  ConnectorMetricOptions,
  Destination,
  ExistingDestination,
  ExternalIdReader,
  HttpDestination,
  NamedSiemReader,
  Network,
  S3Destination,
  SecurityDataConnectorProps,
  SentinelReader,
  SiemAccess,
  SiemReader,
  SplunkDestination,
  StreamMetricName,
  StreamName,
} from '../lib/connector-props.ts';
export { SecurityDataConnector } from '../lib/security-data-connector.ts';
