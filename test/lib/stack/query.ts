import { describe, expect, test } from '@jest/globals';
import { VIEWS } from '../../../lib/query/views.ts';
import { synthesize } from '../synth.ts';
import { only, type Resource, resources, type SynthesizedTemplate } from '../template.ts';
import { KEY_ARN, VARIANTS } from '../variants.ts';

interface TableInput {
  readonly Name: string;
  readonly TableType: string;
  readonly Parameters: Readonly<Record<string, unknown>>;
  readonly ViewOriginalText?: string;
  readonly StorageDescriptor: {
    readonly Location?: unknown;
    readonly Columns: { readonly Name: string; readonly Type: string }[];
  };
}

const template = synthesize(VARIANTS.query);

function tables(of: SynthesizedTemplate): TableInput[] {
  return resources(of, 'AWS::Glue::Table').map(({ Properties }) => Properties['TableInput'] as TableInput);
}

function results(of: SynthesizedTemplate): Resource {
  return Object.entries(of.Resources).find(
    ([id, { Type }]) => Type === 'AWS::S3::Bucket' && id.startsWith('ConnectorQueryResults'),
  )![1];
}

describe('queries', () => {
  test('leave no trace in a stack that does not want them', () => {
    const types = Object.values(synthesize().Resources).map(({ Type }) => Type);
    expect(types.filter(type => /Glue|Athena/.test(type))).toEqual([]);
    expect(resources(synthesize(), 'AWS::S3::Bucket')).toHaveLength(1);
  });

  test('find database, workgroup and policy in the outputs', () => {
    const outputs = Object.keys(template.Outputs).filter(id => id.startsWith('Query'));
    expect(outputs.sort()).toEqual([
      'QueryAnalystPolicyArn',
      'QueryDatabase',
      'QueryResultsBucketName',
      'QueryWorkgroup',
    ]);
    expect(template.Outputs['QueryDatabase']!.Value).toBe('security_events_acme');
  });

  test('use a different database for each connector, with a name that needs no quotes', () => {
    const names = ['a-b', 'a-b-c', 'ab'].map(name => synthesize({ name, query: true }).Outputs['QueryDatabase']!.Value);
    expect(names).toEqual(['security_events_a_b', 'security_events_a_b_c', 'security_events_ab']);
  });
});

describe('the table of lines', () => {
  const lines = tables(template).find(({ Name }) => Name === 'lines')!;

  test('has one column that holds the line as it is, and partitions that need no crawler', () => {
    expect(lines).toMatchObject({
      TableType: 'EXTERNAL_TABLE',
      PartitionKeys: [{ Name: 'delivery_day' }],
      StorageDescriptor: {
        Columns: [{ Name: 'line', Type: 'string' }],
        // Any delimiter that is given could occur in a line; the one by default cannot.
        SerdeInfo: {
          SerializationLibrary: 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe',
          Parameters: { 'serialization.format': '1' },
        },
      },
    });
    expect(resources(template, 'AWS::Glue::Crawler')).toEqual([]);
  });

  test('finds the lines of a day where Firehose writes them', () => {
    const of = synthesize({ ...VARIANTS.existingParts, query: true });
    const { Parameters, StorageDescriptor } = tables(of).find(({ Name }) => Name === 'lines')!;
    const { Prefix } = only(of, 'AWS::KinesisFirehose::DeliveryStream')['ExtendedS3DestinationConfiguration'] as {
      Prefix: string;
    };
    const folder = 's3://acme-security-data/events/';
    expect(StorageDescriptor.Location).toBe(folder);
    expect(Parameters['storage.location.template']).toBe(`${folder}\${delivery_day}/`);
    expect(Prefix).toBe('events/!{timestamp:yyyy/MM/dd/HH}/');
    expect(Parameters['projection.delivery_day.format']).toBe('yyyy/MM/dd');
  });
});

describe('the views', () => {
  const byName = new Map(tables(template).map(each => [each.Name, each]));

  test.each(VIEWS.map(view => [view.name, view] as const))(
    'hold the SQL and the columns of %s',
    (name, { sql, columns }) => {
      const { TableType, ViewOriginalText, Parameters, StorageDescriptor } = byName.get(name)!;
      expect({ TableType, ...Parameters }).toEqual({
        TableType: 'VIRTUAL_VIEW',
        presto_view: 'true',
        comment: 'Presto View',
      });
      const [, encoded] = /^\/\* Presto View: ([A-Za-z0-9+/=]+) \*\/$/.exec(ViewOriginalText!)!;
      expect(JSON.parse(Buffer.from(encoded!, 'base64').toString())).toEqual({
        originalSql: sql,
        catalog: 'awsdatacatalog',
        schema: 'security_events_acme',
        columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
      });
      const hive = { varchar: 'string', 'timestamp(3)': 'timestamp' };
      expect(StorageDescriptor.Columns).toEqual(
        Object.entries(columns).map(([column, type]) => ({ Name: column, Type: hive[type] })),
      );
    },
  );

  test('are all there, beside the lines', () => {
    expect([...byName.keys()].sort()).toEqual(['lines', ...VIEWS.map(view => view.name)].sort());
  });
});

describe('the workgroup', () => {
  test('stops a query that reads too much, and does not let a client say otherwise', () => {
    const configuration = (options: object) =>
      only(synthesize({ ...options }), 'AWS::Athena::WorkGroup')['WorkGroupConfiguration'];
    const enforced = { EnforceWorkGroupConfiguration: true, PublishCloudWatchMetricsEnabled: true };
    expect(configuration(VARIANTS.query)).toMatchObject({
      ...enforced,
      BytesScannedCutoffPerQuery: 100_000_000_000,
    });
    expect(configuration(VARIANTS.everyOption)).toMatchObject({
      ...enforced,
      BytesScannedCutoffPerQuery: 50_000_000_000,
    });
  });

  test('encrypts answers, with the customer’s key where there is one', () => {
    const encryption = (of: SynthesizedTemplate) =>
      (only(of, 'AWS::Athena::WorkGroup')['WorkGroupConfiguration'] as { ResultConfiguration: object })
        .ResultConfiguration;
    expect(encryption(template)).toMatchObject({ EncryptionConfiguration: { EncryptionOption: 'SSE_S3' } });
    expect(encryption(synthesize(VARIANTS.everyOption))).toMatchObject({
      EncryptionConfiguration: { EncryptionOption: 'SSE_KMS', KmsKey: KEY_ARN },
    });
  });

  test.each(['query', 'everyOption', 'existingParts'] as const)('keeps answers for a week, in the variant %s', name => {
    const { Rules } = results(synthesize(VARIANTS[name])).Properties['LifecycleConfiguration'] as { Rules: object[] };
    expect(Rules).toEqual([expect.objectContaining({ ExpirationInDays: 7, Status: 'Enabled' })]);
    expect(Rules[0]).not.toHaveProperty('Prefix');
  });
});
