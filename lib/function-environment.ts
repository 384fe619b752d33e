import type { FunctionResources } from './function-grants.ts';

/** What the function is told about the API, as the project's design names it. */
export interface ApiSettings {
  readonly name: string;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly dnsBlocksPath?: string | undefined;
  readonly threatAssetField: string;
  readonly pageLimit: number;
  readonly rowsMember?: string | undefined;
  readonly paginationMember?: string | undefined;
  readonly leaseSeconds?: number | undefined;
}

/** The whole environment of the function. It holds names and addresses, never a secret. */
export function functionEnvironment(api: ApiSettings, resources: FunctionResources): Record<string, string> {
  return defined({
    API_BASE_URL: api.baseUrl,
    AUTH_URL: api.authUrl,
    CREDENTIALS_SECRET_ID: resources.credentials.secretArn,
    STATE_TABLE: resources.state.tableName,
    DELIVERY_STREAM: resources.delivery.deliveryStreamRef.deliveryStreamName,
    DEAD_LETTER_BUCKET: resources.bucket.bucketName,
    CONNECTOR_NAME: api.name,
    DNS_BLOCKS_PATH: api.dnsBlocksPath,
    THREAT_ASSET_FIELD: api.threatAssetField,
    PAGE_LIMIT: String(api.pageLimit),
    ROWS_MEMBER: api.rowsMember,
    PAGINATION_MEMBER: api.paginationMember,
    LEASE_SECONDS: api.leaseSeconds?.toString(),
  });
}

function defined(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
