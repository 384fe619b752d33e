import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type References, resolve } from '../../../local/deployment/template.ts';
import type { SynthesizedTemplate } from '../../lib/template.ts';
import { running } from '../running.ts';

export interface ReadCatalogue {
  readonly views: Readonly<Record<string, object>>;
  /** How many partitions the table has. */
  readonly all: number;
  /** By name, of the partitions that were asked for. */
  readonly locations: Readonly<Record<string, string>>;
}

export interface Asked {
  readonly table: string;
  /** A partition key, and the one value of it whose locations are read. */
  readonly key: string;
  readonly value: string;
  /** What a bucket of the template's own is called. */
  readonly bucket: string;
}

const VIEW = 'VIRTUAL_VIEW';

/** What Trino makes of the template's views, and of one of its tables, in Glue. */
export async function readCatalogue({ Resources }: SynthesizedTemplate, { table, key, value, bucket }: Asked) {
  const inputs = Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::Glue::Table')
    .map(({ Properties }) => resolve(Properties['TableInput'], named(bucket)) as { Name: string; TableType: string });
  const views = inputs.filter(({ TableType }) => TableType === VIEW);
  const asked = { table: inputs.find(({ Name }) => Name === table), views, key, value };
  const source = join(import.meta.dirname, 'Catalogue.java');
  const written = await java(['-cp', running().trino!.archives, source], JSON.stringify(asked));
  // One of the archives writes warnings first.
  return JSON.parse(written.trim().split('\n').at(-1)!) as ReadCatalogue;
}

/** A table refers to the bucket alone. */
function named(bucket: string): References {
  return { ref: () => bucket, attribute: () => bucket };
}

function java(args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile('java', args, { timeout: 100_000 }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
    child.stdin?.end(input);
  });
}
