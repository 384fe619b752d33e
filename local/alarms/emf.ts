/** Values of one line in CloudWatch's embedded metric format. */
export interface EmbeddedMetrics {
  readonly namespace: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, number>>;
  /** Metric values, and numeric properties of the line that are not metrics. */
  readonly figures: Readonly<Record<string, number>>;
}

interface Blob extends Record<string, unknown> {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
}

/**
 * Reads the metrics from stdout. Each line has exactly one set of dimensions, because CloudWatch
 * would count a line with two sets twice.
 */
export function parseEmf(stdout: string): EmbeddedMetrics[] {
  const blobs = stdout.split('\n').filter(line => line.includes('"_aws"'));
  return blobs.flatMap(line => {
    const blob = JSON.parse(line) as Blob;
    return blob._aws.CloudWatchMetrics.map(({ Namespace, Dimensions, Metrics }) => {
      if (Dimensions.length !== 1) throw new Error(`${Dimensions.length} sets of dimensions`);
      return {
        namespace: Namespace,
        dimensions: Object.fromEntries(Dimensions[0]!.map(name => [name, String(blob[name])])),
        values: Object.fromEntries(Metrics.map(({ Name }) => [Name, Number([blob[Name]].flat()[0])])),
        figures: Object.fromEntries(
          Object.entries(blob)
            .map(([name, value]) => [name, Number([value].flat()[0])] as const)
            .filter(([, value]) => Number.isFinite(value)),
        ),
      };
    });
  });
}
