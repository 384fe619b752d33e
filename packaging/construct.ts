/**
 * Exports of `@security-data-connector/connector`: the construct, its props, and the types of its
 * attributes.
 */

export type { AlarmName } from '../lib/alarms/alarms.ts';
export { ConfigurationError, type Problem } from '../lib/config/problem.ts';
export type {
  AlarmOverride,
  AlarmOverrides,
  Alarms,
  ByStream,
  ConnectorMetricName,
  ConnectorMetricOptions,
  ExternalIdReader,
  NamedSiemReader,
  SecurityDataConnectorProps,
  SentinelReader,
  SiemAccess,
  SiemReader,
  StreamMetricName,
  StreamName,
} from '../lib/connector-props.ts';
export {
  Destination,
  type ExistingDestinationOptions,
  type HttpDestinationOptions,
  type S3DestinationOptions,
  type SplunkDestinationOptions,
} from '../lib/delivery/destination.ts';
export type { DestinationBindOptions, DestinationConfig } from '../lib/delivery/destination-config.ts';
export { SecurityDataConnector } from '../lib/security-data-connector.ts';
