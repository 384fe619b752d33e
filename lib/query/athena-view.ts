import type * as glue from 'aws-cdk-lib/aws-glue';
import type { ColumnType, View } from './views.ts';

/** Types of the catalogue, which are Hive's. */
const CATALOGUE_TYPES: Readonly<Record<ColumnType, string>> = { varchar: 'string', 'timestamp(3)': 'timestamp' };

/**
 * A view as Athena keeps it in the catalogue: a table without data, whose text is the definition in JSON, in base64. AWS documents
 * `create view` alone; the form is that of Trino's `HiveViewCodec`.
 */
export function athenaView({ name, columns, sql }: View, database: string): glue.CfnTable.TableInputProperty {
  const entries = Object.entries(columns);
  const definition = {
    originalSql: sql,
    catalog: 'awsdatacatalog',
    schema: database,
    columns: entries.map(([column, type]) => ({ name: column, type })),
  };
  const encoded = Buffer.from(JSON.stringify(definition)).toString('base64');
  return {
    name,
    tableType: 'VIRTUAL_VIEW',
    parameters: { presto_view: 'true', comment: 'Presto View' },
    viewOriginalText: `/* Presto View: ${encoded} */`,
    viewExpandedText: '/* Presto View */',
    storageDescriptor: {
      columns: entries.map(([column, type]) => ({ name: column, type: CATALOGUE_TYPES[type] })),
      // A view has none, and what is left empty would be dropped from the template.
      serdeInfo: { name: '-', serializationLibrary: '-' },
    },
  };
}
