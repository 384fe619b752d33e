import { describe, expect, test } from '@jest/globals';
import { ApiRefusedError, CursorRefusedError } from '../../lambda/core/errors.ts';
import { createApi } from '../../lambda/source/api.ts';
import { createTokens } from '../../lambda/source/token.ts';
import { createPlatform, type PlatformOptions } from '../../local/platform/platform.ts';
import { startPlatformServer } from '../../local/platform/server.ts';
import { createClient } from '../../package/api-client.ts';
import type { Page } from '../../package/client-types.ts';
import { rejection } from '../lambda/support/rejection.ts';
import { retryBudget, steppedClock } from '../lambda/support/stepped-clock.ts';

async function scene(options: Partial<PlatformOptions> = {}) {
  const clock = steppedClock();
  const platform = createPlatform({ clock: clock.now, random: () => 0.5, ...options });
  const { baseUrl, authUrl, close } = await startPlatformServer({ platform });
  const { clientId, clientSecret } = platform.account;
  const tokens = createTokens({ authUrl, fetch, credentials: { read: async () => ({ clientId, clientSecret }) } });
  const api = createApi({ baseUrl, tokens, fetch, retryBudget: retryBudget(clock) });
  const client = createClient({ api, clock, dnsBlocksPath: platform.settings.dnsBlocksPath });
  return { platform, api, clock, client, [Symbol.asyncDispose]: close };
}

async function collect(pages: AsyncIterable<Page>): Promise<Page[]> {
  const all: Page[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

describe('the lists', () => {
  test('the lists come page by page, each row as the API sent it, and the last page has a null cursor', async () => {
    await using each = await scene();
    each.platform.populate({ assets: 12, threats: 7, dnsBlocks: 5 });
    const { client, platform } = each;
    const truth = platform.truth();
    for (const [name, pages] of [
      ['assets', await collect(client.assets({ limit: 5 }))],
      ['threats', await collect(client.threats({ limit: 5 }))],
      ['dns-blocks', await collect(client.dnsBlocks({ limit: 5 }))],
    ] as const) {
      expect(pages.flatMap(page => page.rows).sort()).toEqual([...truth[name].values()].sort());
      expect(pages.at(-1)?.nextCursor).toBeNull();
      expect(pages.slice(0, -1).every(page => page.nextCursor !== null)).toBe(true);
    }
  });

  test('a list continues from a cursor of an earlier page', async () => {
    await using each = await scene();
    each.platform.populate({ assets: 9, threats: 0, dnsBlocks: 0 });
    const [first, ...rest] = await collect(each.client.assets({ limit: 4 }));
    const later = await collect(each.client.assets({ limit: 4, cursor: first!.nextCursor! }));
    expect(later).toEqual(rest);
  });

  test('a list may be left early, and requests no page beyond the next', async () => {
    await using each = await scene();
    each.platform.populate({ assets: 40, threats: 0, dnsBlocks: 0 });
    for await (const page of each.client.assets({ limit: 4 })) {
      expect(page.rows).toHaveLength(4);
      break;
    }
    expect(each.platform.requests.get('assets')).toBeLessThanOrEqual(2);
  });

  test('a list ends at a cursor that comes back unchanged', async () => {
    await using each = await scene({ endOfStream: 'repeat-cursor' });
    each.platform.populate({ assets: 3, threats: 0, dnsBlocks: 0 });
    const pages = await collect(each.client.assets());
    expect(pages.flatMap(page => page.rows)).toHaveLength(3);
  });

  test('a list leaves a refused cursor to the caller, and no other takes its place', async () => {
    await using each = await scene();
    each.platform.populate({ assets: 3, threats: 0, dnsBlocks: 0 });
    expect(await rejection(collect(each.client.assets({ cursor: 'hand-built' })))).toBeInstanceOf(CursorRefusedError);
    expect(each.platform.requests.get('assets')).toBe(1);
  });

  test.each([0, 501, 2.5, Number.NaN])('a list refuses a limit that the API would refuse (%p)', async limit => {
    await using each = await scene();
    expect(() => each.client.assets({ limit })).toThrow(RangeError);
  });

  test('the list of DNS blocks needs its path', async () => {
    await using each = await scene();
    const { api, clock } = each;
    expect(() => createClient({ api, clock }).dnsBlocks()).toThrow(RangeError);
  });
});

describe('the single reads', () => {
  const ID = 'a/b ü%?#';

  test('a single read returns the resource as the API sent it, whatever characters the id holds', async () => {
    await using each = await scene();
    each.platform.put('assets', `{"id":"${ID}","big":9007199254740993}`);
    each.platform.put('threats', `{"id":"threat ${ID}","asset_id":"${ID}","n":1.0}`);
    const asset = await each.client.asset(ID);
    expect([JSON.parse(asset).id, JSON.parse(asset).stream_position]).toEqual([ID, null]);
    expect(asset).toContain('9007199254740993');
    const threat = await each.client.threat(`threat ${ID}`);
    expect([JSON.parse(threat).id, JSON.parse(threat).stream_position]).toEqual([`threat ${ID}`, null]);
    expect(threat).toContain('1.0');
    expect(JSON.parse(await each.client.relatedAssets(ID))).toEqual(expect.anything());
  });

  test('a single read of an unknown id is refused with the status of the API', async () => {
    await using each = await scene();
    const error = await rejection(each.client.threat('nobody'));
    expect(error).toBeInstanceOf(ApiRefusedError);
    expect((error as ApiRefusedError).status).toBe(404);
  });

  test.each(['', '.', '..', '\ud800'])('a single read refuses an id that no path can hold (%j)', async id => {
    await using each = await scene();
    expect(await rejection(each.client.asset(id))).toBeInstanceOf(RangeError);
    expect(each.platform.requests.size).toBe(0);
  });
});
