/** What `@security-data-connector/connector` exports: the construct, its props, and what its attributes are. */
import './check-peers.ts';

export { Alarms } from '../lib/alarms/create-alarms.ts';
export { ConfigurationError } from '../lib/config/fault.ts';
export type { SecurityDataConnectorProps } from '../lib/connector-options.ts';
export type { Destination } from '../lib/delivery/destinations.ts';
export type { Network } from '../lib/function/poller-network.ts';
export { Query } from '../lib/query/query.ts';
export { SecurityDataConnector } from '../lib/security-data-connector.ts';
export type { SiemReader } from '../lib/siem/readers.ts';
export { SiemAccess } from '../lib/siem/siem-access.ts';
