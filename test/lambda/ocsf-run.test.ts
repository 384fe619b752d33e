import { describe, expect, test } from '@jest/globals';
import { ocsfFaults, readOcsf } from '../ocsf/validate.ts';
import { compiledFields, WIDE_MAPPING } from '../ocsf/wide-mapping.ts';
import { type Connector, connector } from './support/connector.ts';

const OCSF = { EVENT_FORMAT: 'ocsf', OCSF_FIELDS: JSON.stringify(compiledFields(WIDE_MAPPING)) };

/** How many lines there are of each class and activity. */
async function activities(each: Connector): Promise<Record<string, number>> {
  const events = (await each.lines()).map(readOcsf);
  const counts = Object.groupBy(events, ({ class_uid, activity_id }) => `${class_uid}/${activity_id}`);
  return Object.fromEntries(Object.entries(counts).map(([name, all]) => [name, all!.length]));
}

describe('the function with EVENT_FORMAT=ocsf', () => {
  test('the OCSF format sends all rows of a tenant as valid events, and nothing twice', async () => {
    await using each = await connector({ environment: OCSF });
    each.platform.populate({ assets: 240, threats: 180, dnsBlocks: 130 });
    await each.run();
    const lines = await each.lines();
    expect(lines.flatMap(ocsfFaults)).toEqual([]);
    // Some assets were removed before anybody read them.
    const live = [...each.platform.truth().assets.values()].filter(row => JSON.parse(row).deleted !== true);
    expect(await activities(each)).toEqual({ '5001/2': live.length, '2004/1': 180, '4003/1': 130 });
    await each.run();
    expect(await each.lines()).toEqual(lines);
  });

  test('the OCSF format sends changes, a removal with its threats, a restore and what came back', async () => {
    await using each = await connector({ environment: OCSF });
    const { platform } = each;
    platform.put('assets', { id: 'a1', hostname: 'web-01' });
    platform.put('threats', { id: 't1', asset_id: 'a1', title: 'Outdated TLS', severity: 'low' });
    await each.run();
    platform.put('threats', { id: 't1', asset_id: 'a1', title: 'Outdated TLS', severity: 'high' });
    await each.run();
    platform.remove('assets', 'a1');
    await each.run();
    platform.restore('assets', 'a1');
    await each.run();
    expect(await activities(each)).toEqual({ '5001/2': 2, '3004/4': 1, '2004/1': 2, '2004/2': 1, '2004/99': 1 });
    const ids = (await each.lines()).map(line => readOcsf(line).metadata.uid);
    expect(new Set(ids).size).toBe(7);
  });

  test('the OCSF format calls everything new in a replay, because the SIEM lost what it had', async () => {
    await using each = await connector({ environment: OCSF });
    each.platform.put('assets', { id: 'a1' });
    each.platform.put('threats', { id: 't1', asset_id: 'a1' });
    await each.run();
    await each.run({ replay: ['threats'] });
    expect(await activities(each)).toEqual({ '5001/2': 1, '2004/1': 2 });
  });

  test('the OCSF format points to a row that does not fit, and leaves unmapped out of one that does not fit twice', async () => {
    await using each = await connector({ environment: OCSF });
    each.platform.put('assets', { id: 'a1', text: 'x'.repeat(2_000_000) });
    each.platform.put('assets', { id: 'a2', text: 'x'.repeat(700_000) });
    const { streams } = await each.run();
    expect(streams['assets']).toMatchObject({ forwarded: 2, oversize: 1, deadLetters: 1 });
    const [large, small] = (await each.lines()).map(readOcsf).toSorted((one, other) => uidOf(one) - uidOf(other));
    expect(large).toMatchObject({ metadata: { is_truncated: true }, device: { uid: 'a1' } });
    expect(large?.unmapped?.['dead_letter']).toMatch(/^s3:\/\/.*\/assets\/oversize\//);
    expect(small?.raw_data).toContain('x'.repeat(700_000));
    expect(small?.unmapped).toBeUndefined();
  });

  test('the OCSF format has the same event_id as the envelope', async () => {
    const uids = async (environment: Record<string, string>, read: (line: string) => string) => {
      await using each = await connector({ environment, platform: { clock: () => Date.UTC(2026, 10, 20) } });
      each.platform.populate({ assets: 20, threats: 20, dnsBlocks: 20 });
      await each.run();
      return (await each.lines()).map(read).sort();
    };
    const ocsf = await uids(OCSF, line => readOcsf(line).metadata.uid);
    expect(ocsf).toEqual(await uids({}, line => JSON.parse(line).event_id));
    expect(ocsf).toHaveLength(60);
  });
});

function uidOf(event: ReturnType<typeof readOcsf>): number {
  return Number(String(event.metadata['original_event_uid']).slice(1));
}
