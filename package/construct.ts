/** What `@security-data-connector/connector` exports: the construct, its props, and what its attributes are. */
import './check-peers.ts';

export { ConfigurationError, type Fault } from '../lib/config/fault.ts';
export type {
  Alarms,
  ByStream,
  Destination,
  ExistingDestination,
  ExternalIdReader,
  HttpDestination,
  Network,
  Query,
  S3Destination,
  SecurityDataConnectorProps,
  SentinelReader,
  SiemAccess,
  SiemReader,
  SplunkDestination,
} from '../lib/connector-props.ts';
export { SecurityDataConnector } from '../lib/security-data-connector.ts';
