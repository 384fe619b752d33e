import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { DEFAULTS } from '../defaults.ts';
import type { HttpDestination, SplunkDestination } from './destination.ts';
import { backupSettings, type DestinationParts, type DestinationProperties } from './parts.ts';

/** Packed records need Splunk's raw endpoint, which splits lines; the event endpoint would take a record for one event. */
export function splunkDestination(
  parts: DestinationParts,
  destination: SplunkDestination,
  token: ISecret,
): DestinationProperties {
  return {
    splunkDestinationConfiguration: {
      hecEndpoint: destination.url,
      hecEndpointType: 'Raw',
      hecAcknowledgmentTimeoutInSeconds: 300,
      secretsManagerConfiguration: tokenFrom(token, parts),
      bufferingHints: { intervalInSeconds: parts.bufferSeconds, sizeInMBs: 5 },
      retryOptions: { durationInSeconds: retrySeconds(destination) },
      cloudWatchLoggingOptions: parts.logging,
      s3BackupMode: 'FailedEventsOnly',
      s3Configuration: backupSettings(parts),
    },
  };
}

/** The endpoint gets records of many lines and splits them at line ends. */
export function httpDestination(
  parts: DestinationParts,
  destination: HttpDestination,
  key: ISecret,
): DestinationProperties {
  return {
    httpEndpointDestinationConfiguration: {
      endpointConfiguration: { url: destination.url, ...(destination.name && { name: destination.name }) },
      requestConfiguration: { contentEncoding: 'GZIP' },
      secretsManagerConfiguration: tokenFrom(key, parts),
      roleArn: parts.role.roleArn,
      bufferingHints: { intervalInSeconds: parts.bufferSeconds, sizeInMBs: 4 },
      retryOptions: { durationInSeconds: retrySeconds(destination) },
      cloudWatchLoggingOptions: parts.logging,
      s3BackupMode: 'FailedDataOnly',
      s3Configuration: backupSettings(parts),
    },
  };
}

function tokenFrom(secret: ISecret, { role }: DestinationParts) {
  return { enabled: true, secretArn: secret.secretArn, roleArn: role.roleArn };
}

function retrySeconds({ retry }: HttpDestination | SplunkDestination): number {
  return retry?.toSeconds() ?? DEFAULTS.retrySeconds;
}
