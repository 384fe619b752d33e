/** The kinds of destination. `config/schema.ts` has their options in `cdk.json`. */
import { Duration } from 'aws-cdk-lib';
import type { IDeliveryStreamRef } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { PREFIXES } from '../prefixes.ts';
import { createDeliveryParts, createDeliveryStream, TIME_PREFIX } from './delivery-stream.ts';
import type { DestinationBindOptions, DestinationConfig } from './destination-config.ts';
import { DEFAULT_BUFFER_SECONDS, DEFAULT_RETRY_SECONDS, METRIC_PREFIXES, MOST_BUFFER_SECONDS } from './firehose.ts';

/** Options of `Destination.s3`. */
export interface S3DestinationOptions {
  /**
   * Time for which Firehose buffers events before it delivers them, from 0 to 900 seconds.
   *
   * @default Duration.seconds(60)
   */
  readonly bufferInterval?: Duration;
}

/** Options of `Destination.splunk`. */
export interface SplunkDestinationOptions {
  /**
   * Address of the HTTP Event Collector, with indexer acknowledgement enabled. It must begin with
   * https.
   */
  readonly url: string;
  /**
   * Existing secret with `{"hec_token"}`.
   *
   * @default - a secret with a placeholder is created, and an output has the command that fills it
   */
  readonly secret?: ISecret;
  /**
   * Time for which Firehose buffers events before it delivers them, from 0 to 60 seconds.
   *
   * @default Duration.seconds(60)
   */
  readonly bufferInterval?: Duration;
  /**
   * Time for which Firehose retries an unreachable endpoint before it writes events to the bucket,
   * at most 7,200 seconds.
   *
   * @default Duration.hours(2)
   */
  readonly retry?: Duration;
}

/** Options of `Destination.http`. */
export interface HttpDestinationOptions {
  /**
   * Address that accepts Firehose's HTTP requests and splits records at line ends. It must begin
   * with https.
   */
  readonly url: string;
  /**
   * Name of the endpoint in the console.
   *
   * @default - none
   */
  readonly name?: string;
  /**
   * Existing secret with `{"api_key"}`.
   *
   * @default - a secret with a placeholder is created, and an output has the command that fills it
   */
  readonly secret?: ISecret;
  /**
   * Time for which Firehose buffers events before it delivers them, from 0 to 900 seconds.
   *
   * @default Duration.seconds(60)
   */
  readonly bufferInterval?: Duration;
  /**
   * Time for which Firehose retries an unreachable endpoint before it writes events to the bucket,
   * at most 7,200 seconds.
   *
   * @default Duration.hours(2)
   */
  readonly retry?: Duration;
}

/** Options of `Destination.existing`. */
export interface ExistingDestinationOptions {
  /** Delivery stream that accepts direct puts, in the same account and region. */
  readonly deliveryStream: IDeliveryStreamRef;
  /**
   * Kind of the destination to which that stream delivers. The names of the stream's metrics follow
   * from the kind.
   *
   * @default 's3'
   */
  readonly deliversTo?: 's3' | 'splunk' | 'http' | 'opensearch' | 'iceberg' | 'snowflake';
}

/** A destination that `cdk.json` supports as well, with the options of its kind. */
type GivenDestination = { readonly type: 's3' | 'splunk' | 'http' | 'existing' } & Partial<
  HttpDestinationOptions & ExistingDestinationOptions
>;

/**
 * Destination to which the delivery stream of a connector delivers. Extend this class for a
 * destination of your own.
 */
export abstract class Destination {
  /** Delivers gzipped lines to the bucket, below `events/yyyy/MM/dd/HH/`. */
  static s3(options: S3DestinationOptions = {}): Destination {
    return new S3Destination('s3', options);
  }

  /** Delivers to Splunk's HTTP Event Collector. */
  static splunk(options: SplunkDestinationOptions): Destination {
    return new SplunkDestination('splunk', options);
  }

  /**
   * Delivers to any endpoint that accepts Firehose's HTTP requests and splits records at line ends.
   */
  static http(options: HttpDestinationOptions): Destination {
    return new HttpDestination('http', options);
  }

  /**
   * Uses a delivery stream that somebody else operates. The bucket then does not contain events.
   */
  static existing(options: ExistingDestinationOptions): Destination {
    return new ExistingDestination('existing', options);
  }

  /**
   * @internal Options that the rules of `cdk.json` check. Absent for a destination that an app
   * defines.
   */
  readonly _given?: GivenDestination;

  /**
   * Creates the delivery stream, or returns an existing stream.
   *
   * @param scope construct of the destination within the connector
   * @param options parts and settings of the connector
   */
  abstract bind(scope: Construct, options: DestinationBindOptions): DestinationConfig;
}

abstract class KnownDestination<O extends object> extends Destination {
  override readonly _given: GivenDestination;
  protected readonly options: O;

  constructor(type: GivenDestination['type'], options: O) {
    super();
    this.options = options;
    this._given = { ...options, type };
  }
}

const BUFFER = Duration.seconds(DEFAULT_BUFFER_SECONDS);
const RETRY = Duration.seconds(DEFAULT_RETRY_SECONDS);

class S3Destination extends KnownDestination<S3DestinationOptions> {
  bind(scope: Construct, connector: DestinationBindOptions): DestinationConfig {
    const { bufferInterval = BUFFER } = this.options;
    const { bucketSettings } = createDeliveryParts(scope, connector);

    // Firehose need not process packed records, because S3 gets their bytes and each line ends in a
    // line feed.
    const deliveryStream = createDeliveryStream(scope, 'ToS3', connector, {
      extendedS3DestinationConfiguration: {
        ...bucketSettings,
        // SIEMs recognize gzipped lines of JSON by this ending. Firehose alone would write `.gz`.
        fileExtension: '.json.gz',
        prefix: `${PREFIXES.events}${TIME_PREFIX}`,
        bufferingHints: { intervalInSeconds: bufferInterval.toSeconds(), sizeInMBs: 64 },
      },
    });
    return { ...watched('s3', bufferInterval), deliveryStream, eventsInBucket: true };
  }
}

class SplunkDestination extends KnownDestination<SplunkDestinationOptions> {
  bind(scope: Construct, connector: DestinationBindOptions): DestinationConfig {
    const { url, secret, bufferInterval = BUFFER, retry = RETRY } = this.options;
    const { endpointSettings } = createDeliveryParts(scope, connector, { member: 'hec_token', secret });

    const deliveryStream = createDeliveryStream(scope, 'ToSplunk', connector, {
      splunkDestinationConfiguration: {
        ...endpointSettings,
        retryOptions: { durationInSeconds: retry.toSeconds() },
        hecEndpoint: url,
        // The raw endpoint splits packed records into lines. The event endpoint would take a whole
        // record for one event.
        hecEndpointType: 'Raw',
        hecAcknowledgmentTimeoutInSeconds: 300,
        bufferingHints: { intervalInSeconds: bufferInterval.toSeconds(), sizeInMBs: 5 },
        s3BackupMode: 'FailedEventsOnly',
      },
    });
    return { ...watched('splunk', bufferInterval), deliveryStream };
  }
}

class HttpDestination extends KnownDestination<HttpDestinationOptions> {
  bind(scope: Construct, connector: DestinationBindOptions): DestinationConfig {
    const { url, name, secret, bufferInterval = BUFFER, retry = RETRY } = this.options;
    const { endpointSettings, roleArn } = createDeliveryParts(scope, connector, { member: 'api_key', secret });

    const deliveryStream = createDeliveryStream(scope, 'ToHttp', connector, {
      httpEndpointDestinationConfiguration: {
        ...endpointSettings,
        roleArn,
        retryOptions: { durationInSeconds: retry.toSeconds() },
        endpointConfiguration: { url, ...(name && { name }) },
        requestConfiguration: { contentEncoding: 'GZIP' },
        bufferingHints: { intervalInSeconds: bufferInterval.toSeconds(), sizeInMBs: 4 },
        s3BackupMode: 'FailedDataOnly',
      },
    });
    return { ...watched('http', bufferInterval), deliveryStream };
  }
}

class ExistingDestination extends KnownDestination<ExistingDestinationOptions> {
  bind(): DestinationConfig {
    const { deliveryStream, deliversTo = 's3' } = this.options;
    return { deliveryStream, metricPrefix: METRIC_PREFIXES[deliversTo] };
  }
}

/**
 * Returns the metric prefix and the buffer time of a kind. If the buffer time is a token, alarms
 * expect the longest time that Firehose accepts.
 */
function watched(kind: keyof typeof MOST_BUFFER_SECONDS, interval: Duration) {
  const bufferInterval = interval.isUnresolved() ? Duration.seconds(MOST_BUFFER_SECONDS[kind]) : interval;
  return { metricPrefix: METRIC_PREFIXES[kind], bufferInterval };
}
