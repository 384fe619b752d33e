/** The row of each stream that the examples in docs/events.md begin with. */
import { STREAMS, type StreamName } from '../../lambda/streams.ts';

/** With digits that a double cannot hold, and a fraction that a parser would drop. */
export const EXAMPLE_ROWS: Readonly<Record<StreamName, string>> = {
  assets: '{"id":"asset-7f3a","fqdn":"web-01.corp.example","serial":9007199254740993}',
  threats: '{"id":"threat-19","asset_id":"asset-7f3a","title":"Outdated TLS","severity":"high","score":7.0}',
  'dns-blocks': '{"id":"block-880142","domain":"malware.example"}',
};

/** The filters under which the examples were sent. */
export const EXAMPLE_FILTERS = { assets: "state != 'retired'" };

/**
 * Streams that no step of the examples' stories names. Their rows are added, and removed where they
 * can be.
 */
export const OTHER_STREAMS = STREAMS.filter(({ group }) => !['inventory', 'dns'].includes(group));

export function exampleId(name: StreamName): string {
  return (JSON.parse(EXAMPLE_ROWS[name]) as { id: string }).id;
}
