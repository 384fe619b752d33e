import { describe, expect, test } from '@jest/globals';
import { synthesize } from '../synth.ts';
import { only, resources } from '../template.ts';
import { SECRET_ARN, VARIANTS } from '../variants.ts';
import { actionsOf, resourcesOf, statementsOf } from './policies.ts';

function destination(options: object, kind: string): unknown {
  return only(synthesize({ ...options }), 'AWS::KinesisFirehose::DeliveryStream')[`${kind}DestinationConfiguration`];
}

/** What Firehose's role may do, as text. */
function deliveryGrants(options: object): string[] {
  return statementsOf(synthesize({ ...options }), 'ConnectorDeliveryRole').flatMap(statement =>
    actionsOf(statement).map(action => `${action} ${JSON.stringify(resourcesOf(statement))}`),
  );
}

const ERRORS = 'delivery-errors/!{firehose:error-output-type}/!{timestamp:yyyy/MM/dd/HH}/';

test('delivery to S3 may write only below its two prefixes', () => {
  const written = deliveryGrants({}).filter(grant => grant.startsWith('s3:PutObject'));
  const prefixes = written.join().match(/\/[a-z-]+\/\*/g)!;
  expect(prefixes.sort()).toEqual(['/delivery-errors/*', '/events/*']);
});

describe('delivery to Splunk', () => {
  test('delivery to Splunk sends records to the raw endpoint and backs up failed records', () => {
    expect(destination(VARIANTS.splunk, 'Splunk')).toMatchObject({
      HECEndpoint: VARIANTS.splunk.destination.url,
      HECEndpointType: 'Raw',
      RetryOptions: { DurationInSeconds: 7200 },
      S3BackupMode: 'FailedEventsOnly',
      S3Configuration: { CompressionFormat: 'GZIP', ErrorOutputPrefix: ERRORS },
      SecretsManagerConfiguration: { Enabled: true },
    });
  });

  test('the output FillToken of delivery to Splunk says how to enter the token', () => {
    const { FillToken } = synthesize(VARIANTS.splunk).Outputs;
    expect(FillToken!.Description).toContain('"hec_token"');
    expect(JSON.stringify(FillToken!.Value)).toContain('file://token.json');
  });
});

describe('delivery to an HTTP endpoint', () => {
  test('delivery to an HTTP endpoint sends gzipped records with a secret key and backs up failures', () => {
    expect(destination(VARIANTS.http, 'HttpEndpoint')).toMatchObject({
      EndpointConfiguration: { Url: VARIANTS.http.destination.url, Name: 'SIEM' },
      RequestConfiguration: { ContentEncoding: 'GZIP' },
      RetryOptions: { DurationInSeconds: 60 },
      S3BackupMode: 'FailedDataOnly',
      S3Configuration: { CompressionFormat: 'GZIP', ErrorOutputPrefix: ERRORS },
      SecretsManagerConfiguration: { Enabled: true, SecretARN: SECRET_ARN },
    });
  });

  test('delivery to an HTTP endpoint may read the key and write the backup, but not events', () => {
    const grants = deliveryGrants(VARIANTS.http);
    expect(grants).toContain(`secretsmanager:GetSecretValue ["${SECRET_ARN}"]`);
    expect(grants.filter(grant => grant.includes('/events/'))).toEqual([]);
  });
});

test('an existing delivery stream is used unchanged, and the bucket holds only dead letters', () => {
  const template = synthesize(VARIANTS.existing);
  expect(resources(template, 'AWS::KinesisFirehose::DeliveryStream')).toEqual([]);
  expect(resources(template, 'AWS::S3::Bucket')).toHaveLength(1);
  expect(statementsOf(template, 'ConnectorDelivery')).toEqual([]);
});

test('a change of the kind of destination creates a new delivery stream, because Firehose cannot convert a stream', () => {
  const ids = [{}, VARIANTS.splunk, VARIANTS.http].map(options => {
    const { Resources } = synthesize({ ...options });
    return Object.keys(Resources).find(id => Resources[id]!.Type === 'AWS::KinesisFirehose::DeliveryStream');
  });
  expect(new Set(ids).size).toBe(3);
});
