import { STREAMS } from '../../lambda/streams.ts';
import type { ConnectorOptions } from '../connector-options.ts';
import { compileFields } from '../ocsf/compile-fields.ts';
import type { FunctionResources } from './function-grants.ts';

/** The whole environment of the function. It holds names and addresses, never a secret. */
export function functionEnvironment(options: ConnectorOptions, resources: FunctionResources): Record<string, string> {
  return defined({
    API_BASE_URL: options.baseUrl,
    AUTH_URL: options.authUrl,
    CREDENTIALS_SECRET_ID: resources.credentials.secretArn,
    STATE_TABLE: resources.state.tableName,
    DELIVERY_STREAM: resources.delivery.deliveryStreamRef.deliveryStreamName,
    DEAD_LETTER_BUCKET: resources.bucket.bucketName,
    CONNECTOR_NAME: options.connectorName,
    ...pathSettings(options),
    THREAT_ASSET_FIELD: options.threatAssetField,
    PAGE_LIMIT: String(options.pageLimit),
    ROWS_MEMBER: options.rowsMember,
    PAGINATION_MEMBER: options.paginationMember,
    LEASE_SECONDS: options.lease?.toSeconds().toString(),
    // The envelope is the function's default, too.
    EVENT_FORMAT: options.format === 'ocsf' ? 'ocsf' : undefined,
    OCSF_FIELDS: options.ocsfFields && JSON.stringify(compileFields(options.ocsfFields).compiled),
  });
}

/** Of the streams whose path must be given. */
function pathSettings(options: ConnectorOptions): Record<string, string | undefined> {
  return Object.fromEntries(
    STREAMS.flatMap(stream => ('pathSetting' in stream ? [[stream.pathSetting, options[stream.pathOption]]] : [])),
  );
}

function defined(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
