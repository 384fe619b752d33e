import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { PAGE_LIMIT } from '../lambda/streams.ts';
import type { SecurityDataConnectorProps } from './connector-props.ts';
import { DEFAULTS } from './defaults.ts';
import { type Destination, deliversObjects } from './delivery/destination.ts';
import type { Network } from './function/poller-network.ts';
import type { OcsfFieldsOption } from './ocsf/compile-fields.ts';
import type { SiemReader } from './siem/siem-reader.ts';

/** The props of a connector with every default filled in: what its parts are made from. */
export interface ConnectorOptions {
  readonly connectorName: string;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly dnsBlocksPath?: string;
  readonly threatAssetField: string;
  readonly pageLimit: number;
  readonly rowsMember?: string;
  readonly paginationMember?: string;
  readonly lease?: Duration;
  readonly format: 'envelope' | 'ocsf';
  readonly ocsfFields?: OcsfFieldsOption;
  readonly rate: Duration;
  readonly enabled: boolean;
  readonly memoryMegabytes: number;
  readonly logRetention: RetentionDays;
  readonly retention: Duration;
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey?: IKey;
  readonly destination: Destination;
  readonly siemQueue: boolean;
  readonly query: boolean;
  readonly queryScanGigabytes: number;
  readonly reader?: SiemReader;
  readonly email?: string;
  readonly runbookUrl: string;
  readonly network?: Network;
}

export function optionsOf(props: SecurityDataConnectorProps): ConnectorOptions {
  const destination = props.destination ?? { type: 's3' };
  return {
    ...props,
    threatAssetField: props.threatAssetField ?? DEFAULTS.threatAssetField,
    pageLimit: props.pageLimit ?? PAGE_LIMIT.default,
    format: props.format ?? 'envelope',
    rate: props.rate ?? Duration.minutes(DEFAULTS.rateMinutes),
    enabled: props.enabled ?? true,
    memoryMegabytes: props.memorySize ?? DEFAULTS.memoryMegabytes,
    logRetention: props.logRetention ?? DEFAULTS.logRetentionDays,
    retention: props.retention ?? Duration.days(DEFAULTS.retentionDays),
    removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    destination,
    siemQueue: (props.siemQueue ?? true) && deliversObjects(destination),
    query: props.query ?? false,
    queryScanGigabytes: props.queryScanGigabytes ?? DEFAULTS.queryScanGigabytes,
    runbookUrl: props.runbookUrl ?? DEFAULTS.runbookUrl,
    ...(props.siemReader && { reader: props.siemReader }),
    ...(props.alarmEmail && { email: props.alarmEmail }),
  };
}
