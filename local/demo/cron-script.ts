import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import { listPathOf } from '../api-simulator/settings.ts';
import type { Scene } from '../incidents/scene.ts';
import { isTombstone, SiemCopy } from './copy.ts';

interface PageBody {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: { readonly next_cursor: string | null };
}

/**
 * The script that most people write first: each minute it continues from its cursors, with the
 * API's default page size, and sends every row. It saves only the cursors, and an error ends its
 * run.
 */
export class CronScript {
  readonly copy = new SiemCopy();
  /** The error that ended the last run of the script. */
  problem: string | undefined;
  readonly #scene: Scene;
  readonly #cursors = new Map<StreamName, string>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async run(): Promise<void> {
    try {
      const token = await this.#token();
      for (const { name } of STREAMS) await this.#readOn(name, token);
      this.problem = undefined;
    } catch (error) {
      this.problem = (error as Error).message;
    }
  }

  async #readOn(stream: StreamName, token: string): Promise<void> {
    const { simulator, api } = this.#scene;
    const url = new URL(listPathOf(stream, simulator.settings), api.url);
    for (;;) {
      const cursor = this.#cursors.get(stream);
      if (cursor !== undefined) url.searchParams.set('cursor', cursor);
      const { data, pagination } = await answer<PageBody>(url, { headers: { authorization: `Bearer ${token}` } });

      for (const row of data) this.#send(stream, row);
      // The last page has no cursor, so it is read again in the next minute.
      if (pagination.next_cursor === null) return;
      this.#cursors.set(stream, pagination.next_cursor);
    }
  }

  #send(stream: StreamName, row: { readonly id: string }): void {
    const text = JSON.stringify(row);
    const bytes = Buffer.byteLength(text) + 1;
    this.copy.take({ stream, id: row.id, row: isTombstone(text) ? undefined : text, bytes });
  }

  async #token(): Promise<string> {
    const { simulator, api, credentials } = this.#scene;
    const pair = [credentials.client_id, credentials.client_secret].map(encodeURIComponent).join(':');
    const { access_token } = await answer<{ access_token: string }>(new URL(simulator.tokenPath, api.url), {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return access_token;
  }
}

async function answer<T>(url: URL, init: RequestInit): Promise<T> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url.pathname.split('/').at(-1)} answered ${response.status}`);
  return (await response.json()) as T;
}
