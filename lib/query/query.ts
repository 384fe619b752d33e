import { type Duration, Stack } from 'aws-cdk-lib';
import type * as athena from 'aws-cdk-lib/aws-athena';
import * as glue from 'aws-cdk-lib/aws-glue';
import type { IManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Destination } from '../delivery/destination.ts';
import { createAnalystPolicy } from './analyst-policy.ts';
import { athenaView } from './athena-view.ts';
import { linesTable } from './lines-table.ts';
import { databaseName } from './names.ts';
import { createResultsBucket, type ResultsBucketProps } from './results-bucket.ts';
import { VIEWS } from './views.ts';
import { createWorkgroup } from './workgroup.ts';

export interface QueryProps extends ResultsBucketProps {
  readonly connectorName: string;
  /** Bucket of the delivered events. */
  readonly bucket: IBucket;
  readonly destination: Destination;
  /** How long objects stay; absent where somebody else decides that. */
  readonly retention?: Duration;
  readonly queryScanGigabytes: number;
  readonly encryptionKey?: IKey;
}

/** Lets analysts ask the delivered events in Athena: docs/query.md. */
export class Query extends Construct {
  readonly database: string;
  readonly workgroup: athena.CfnWorkGroup;
  readonly results: IBucket;
  readonly policy: IManagedPolicy;

  constructor(scope: Construct, id: string, props: QueryProps) {
    super(scope, id);
    this.database = databaseName(props.connectorName);
    this.createCatalogue(props);
    this.results = createResultsBucket(this, props);
    const parts = { ...props, events: props.bucket, results: this.results };
    this.workgroup = createWorkgroup(this, { ...parts, scanGigabytes: props.queryScanGigabytes });
    this.policy = createAnalystPolicy(this, parts);
  }

  private createCatalogue(props: QueryProps): void {
    const catalogId = Stack.of(this).account;
    const database = new glue.CfnDatabase(this, 'Database', {
      catalogId,
      databaseInput: { name: this.database, description: `Events of connector ${props.connectorName}.` },
    });
    const tables = [linesTable(props), ...VIEWS.map(view => athenaView(view, this.database))];
    for (const tableInput of tables) {
      const table = new glue.CfnTable(this, `Table-${tableInput.name}`, {
        catalogId,
        databaseName: this.database,
        tableInput,
      });
      table.addResourceDependency(database);
    }
  }
}
