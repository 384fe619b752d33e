import type { Scene } from './scene.ts';

/** A new row in each stream, so that there is something to deliver. */
export function addRows({ platform, minute }: Scene): void {
  platform.put('assets', { id: `new-${minute}` });
  platform.put('threats', { id: `new-${minute}`, asset_id: `new-${minute}` });
  platform.put('dns-blocks', { id: `new-${minute}` });
}
