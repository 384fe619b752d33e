import { describe, expect, test } from '@jest/globals';
import { columnsOf } from '../../../lib/delivery/parquet-columns.ts';
import { only, resources, type SynthesizedTemplate, synthesize } from '../synth.ts';
import { KEY_ARN, VARIANT_NAMES, VARIANTS } from '../variants.ts';
import { actionsOf, identityStatements, resourcesOf } from './policies.ts';

const template = synthesize(VARIANTS.parquet);

interface Destination {
  readonly RoleARN: unknown;
  readonly DataFormatConversionConfiguration: { readonly SchemaConfiguration: Readonly<Record<string, unknown>> };
}

function destination(of: SynthesizedTemplate = template): Destination {
  const { ExtendedS3DestinationConfiguration: found } = only(of, 'AWS::KinesisFirehose::DeliveryStream');
  return found as Destination;
}

function idOf(type: string): string {
  return Object.keys(template.Resources).find(id => template.Resources[id]!.Type === type)!;
}

function grantsOfFirehose(service: string) {
  const statements = identityStatements(template).filter(({ parent }) => parent.startsWith('ConnectorDeliveryRole'));
  return statements
    .map(({ statement }) => statement)
    .filter(statement => actionsOf(statement).some(action => action.startsWith(`${service}:`)));
}

function thresholdOfDeliveryLate(options: object): unknown {
  const alarms = resources(synthesize({ ...options }), 'AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
  return alarms.find(({ AlarmName }) => AlarmName === 'acme/delivery-late')!['Threshold'];
}

describe('delivery as Parquet', () => {
  test('converts lines by the columns of the table, compressed by Parquet alone, in the least buffer that Firehose takes', () => {
    expect(destination()).toMatchObject({
      CompressionFormat: 'UNCOMPRESSED',
      FileExtension: '.parquet',
      Prefix: 'events/!{timestamp:yyyy/MM/dd/HH}/',
      ErrorOutputPrefix: 'delivery-errors/!{firehose:error-output-type}/!{timestamp:yyyy/MM/dd/HH}/',
      BufferingHints: { IntervalInSeconds: 300, SizeInMBs: 64 },
      DataFormatConversionConfiguration: {
        Enabled: true,
        InputFormatConfiguration: { Deserializer: { OpenXJsonSerDe: { CaseInsensitive: false } } },
        OutputFormatConfiguration: { Serializer: { ParquetSerDe: { Compression: 'SNAPPY' } } },
      },
    });
    expect(destination()).not.toHaveProperty('ProcessingConfiguration');
    expect(destination()).not.toHaveProperty('DynamicPartitioningConfiguration');
  });

  test('keeps every line as it was sent, gzipped and under the customer’s key, where the SIEM gets no notification of it', () => {
    expect(destination()).toMatchObject({
      S3BackupMode: 'Enabled',
      S3BackupConfiguration: {
        CompressionFormat: 'GZIP',
        Prefix: 'lines/!{timestamp:yyyy/MM/dd/HH}/',
        EncryptionConfiguration: { KMSEncryptionConfig: { AWSKMSKeyARN: KEY_ARN } },
      },
    });
    const { NotificationConfiguration } = only(template, 'AWS::S3::Bucket');
    const notified = [...JSON.stringify(NotificationConfiguration).matchAll(/"Value":"([^"]+)"/g)];
    expect(notified.map(match => match[1])).toEqual(['events/']);
  });

  test('names the table by reference, so that the stream is made after it, and reads it as Firehose’s own role', () => {
    const { SchemaConfiguration: schema } = destination().DataFormatConversionConfiguration;
    expect(schema).toEqual({
      CatalogId: { Ref: 'AWS::AccountId' },
      DatabaseName: { Ref: idOf('AWS::Glue::Database') },
      TableName: { Ref: idOf('AWS::Glue::Table') },
      Region: { Ref: 'AWS::Region' },
      RoleARN: destination().RoleARN,
      VersionId: 'LATEST',
    });
  });

  test('may read exactly this table of the catalog, and write below three prefixes', () => {
    const [read, ...others] = grantsOfFirehose('glue');
    expect(others).toEqual([]);
    expect(actionsOf(read!)).toEqual(['glue:GetTable', 'glue:GetTableVersion', 'glue:GetTableVersions']);
    const database = `{"Ref":"${idOf('AWS::Glue::Database')}"}`;
    const table = `{"Ref":"${idOf('AWS::Glue::Table')}"}`;
    const arns = resourcesOf(read!).map(arn =>
      JSON.stringify((arn as { 'Fn::Join': [string, unknown[]] })['Fn::Join'][1]),
    );
    expect(arns.map(arn => arn.replace(/^.*:(?=catalog|database|table)/, ''))).toEqual([
      'catalog"]',
      `database/",${database}]`,
      `table/",${database},"/",${table}]`,
    ]);
    const [written] = grantsOfFirehose('s3').filter(statement => actionsOf(statement).includes('s3:PutObject'));
    const prefixes = JSON.stringify(written!.Resource).match(/\/[a-z-]+\/\*/g)!;
    expect(prefixes.sort()).toEqual(['/delivery-errors/*', '/events/*', '/lines/*']);
  });

  test('is late by its own longer buffer', () => {
    const parquet = { destination: { type: 's3-parquet' } };
    expect(thresholdOfDeliveryLate(parquet)).toBe(2 * 300 + 900);
    expect(thresholdOfDeliveryLate({ destination: { ...parquet.destination, bufferSeconds: 900 } })).toBe(
      2 * 900 + 900,
    );
  });

  test('still notifies the SIEM of its objects', () => {
    expect(resources(template, 'AWS::SQS::Queue').length).toBe(resources(synthesize(), 'AWS::SQS::Queue').length);
  });

  test('has an alarm on what could not be converted, which no other destination needs', () => {
    const failing = VARIANT_NAMES.filter(name =>
      JSON.stringify(synthesize(VARIANTS[name])).includes('FailedConversion'),
    );
    expect(failing).toEqual(['parquet']);
  });
});

describe('the table that lines are converted by', () => {
  const { DatabaseName, TableInput } = only(template, 'AWS::Glue::Table') as {
    DatabaseName: unknown;
    TableInput: Readonly<Record<string, unknown>>;
  };
  const storage = TableInput['StorageDescriptor'] as { Columns: { Name: string; Type: string }[]; Location: unknown };

  test('has the columns of the format, no partitions, and lies where the files do', () => {
    const declared = storage.Columns.map(({ Name, Type }) => ({ name: Name, type: Type }));
    expect(declared).toEqual(columnsOf('envelope').map(({ name, type }) => ({ name, type })));
    expect(TableInput).not.toHaveProperty('PartitionKeys');
    expect(JSON.stringify(storage.Location)).toMatch(/s3:\/\/.*\/events\//);
  });

  test('has the columns of OCSF where that is the format', () => {
    const ocsf = only(synthesize({ ...VARIANTS.parquet, format: 'ocsf' }), 'AWS::Glue::Table');
    const { StorageDescriptor } = ocsf['TableInput'] as { StorageDescriptor: typeof storage };
    expect(StorageDescriptor.Columns.map(({ Name }) => Name)).toEqual(columnsOf('ocsf').map(({ name }) => name));
  });

  test('is alone in a database that is named after the connector, in characters that Glue and Athena accept unquoted', () => {
    const hyphenated = synthesize({ ...VARIANTS.parquet, name: 'acme-eu-1' });
    const { DatabaseInput } = only(hyphenated, 'AWS::Glue::Database') as { DatabaseInput: { Name: string } };
    expect(DatabaseInput.Name).toBe('security_data_acme_eu_1_parquet');
    expect(DatabaseName).toEqual({ Ref: idOf('AWS::Glue::Database') });
  });

  test('goes with the stack, because it holds no data', () => {
    const glue = Object.values(template.Resources).filter(({ Type }) => Type.startsWith('AWS::Glue::'));
    expect(glue.map(({ Type }) => Type).sort()).toEqual(['AWS::Glue::Database', 'AWS::Glue::Table']);
    expect(glue.filter(({ DeletionPolicy }) => DeletionPolicy !== undefined)).toEqual([]);
  });
});
