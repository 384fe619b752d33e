import { Stack } from 'aws-cdk-lib';
import * as glue from 'aws-cdk-lib/aws-glue';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { PREFIXES } from '../prefixes.ts';
import { type Column, columnsOf, type FormatName } from './parquet-columns.ts';

export interface ParquetSchemaProps {
  readonly connectorName: string;
  readonly bucket: IBucket;
  readonly format: FormatName;
}

/**
 * The Glue table whose columns Firehose converts lines by, in a database of its own. It holds no data, and goes with the stack: the files
 * describe themselves.
 */
export class ParquetSchema extends Construct {
  readonly account: string;
  readonly region: string;
  readonly databaseName: string;
  readonly tableName: string;

  constructor(scope: Construct, id: string, { connectorName, bucket, format }: ParquetSchemaProps) {
    super(scope, id);
    const { account, region } = Stack.of(this);
    this.account = account;
    this.region = region;
    // Athena wants names with hyphens in quotes. A connector's name holds no underscore, so no two meet here.
    const name = `security_data_${connectorName.replaceAll('-', '_')}_parquet`;
    const database = new glue.CfnDatabase(this, 'Database', {
      catalogId: account,
      databaseInput: { name, description: `What Firehose converts the events of connector ${connectorName} by.` },
    });
    const table = new glue.CfnTable(this, 'Table', {
      catalogId: account,
      databaseName: database.ref,
      tableInput: {
        name: TABLE,
        description: 'Events in Parquet; the greatest sequence of one connector, stream and id is the truth.',
        tableType: 'EXTERNAL_TABLE',
        parameters: { classification: 'parquet', EXTERNAL: 'TRUE' },
        storageDescriptor: storage(bucket.s3UrlForObject(PREFIXES.events), columnsOf(format)),
      },
    });
    this.databaseName = database.ref;
    this.tableName = table.ref;
  }

  /** ARNs of catalog, database and table: Glue asks for a permission on each. */
  get arns(): readonly string[] {
    const stack = Stack.of(this);
    const arn = (resource: string) => stack.formatArn({ service: 'glue', resource });
    return [arn('catalog'), arn(`database/${this.databaseName}`), arn(`table/${this.databaseName}/${this.tableName}`)];
  }
}

const TABLE = 'events';

/** Firehose reads the columns alone. The rest is what a reader of the table needs. */
function storage(location: string, columns: readonly Column[]): glue.CfnTable.StorageDescriptorProperty {
  return {
    location,
    columns: columns.map(column => ({ ...column })),
    inputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat',
    outputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat',
    serdeInfo: { serializationLibrary: 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe' },
  };
}
