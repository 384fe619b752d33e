import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { createDeliveryBuffer } from '../../local/aws/delivery.ts';
import type { ObjectStore } from '../../local/aws/object-store.ts';

/** A store in memory whose puts can fail, and a clock that moves only when advanced. */
function setUp() {
  const delivered: string[] = [];
  const state = { broken: false, timers: [] as { task: () => void; milliseconds: number; off: boolean }[] };
  const store = {
    async put(_bucket: string, _key: string, bytes: Uint8Array) {
      if (state.broken) throw new Error('disk full');
      delivered.push(gunzipSync(bytes).toString());
    },
  } as Partial<ObjectStore> as ObjectStore;
  const later = (task: () => void, milliseconds: number) => {
    const timer = { task, milliseconds, off: false };
    state.timers.push(timer);
    return () => {
      timer.off = true;
    };
  };
  const target = { store, bucket: 'bucket', prefix: '', streamName: 'stream', now: () => 0, later };
  return { delivered, state, target };
}

function records(...texts: string[]): Buffer[] {
  return texts.map(text => Buffer.from(text));
}

describe('a delivery buffer', () => {
  test('a delivery buffer delivers its objects one after the other, in the order of arrival', async () => {
    const { delivered, target } = setUp();
    const buffer = createDeliveryBuffer(target, { bytes: 2, milliseconds: 60_000 });
    const put = target.store.put;
    target.store.put = async (...object) => {
      target.store.put = put;
      await buffer.accept(records('cd'));
      await put(...object);
    };
    await buffer.accept(records('ab'));
    await buffer.flush();
    expect(delivered).toEqual(['ab', 'cd']);
  });

  test('a delivery buffer reports a failed delivery even when no caller waits for it', async () => {
    const { state, target } = setUp();
    const failures: unknown[] = [];
    const onFailure = (error: unknown) => failures.push(error);
    const buffer = createDeliveryBuffer({ ...target, onFailure }, { bytes: 100, milliseconds: 60_000 });
    await buffer.accept(records('lost'));
    state.broken = true;
    state.timers[0]!.task();
    await expect(buffer.flush()).rejects.toThrow('disk full');
    expect(failures).toEqual([new Error('disk full')]);
  });

  test('a delivery buffer without a delay does not deliver refused records later', async () => {
    const { delivered, state, target } = setUp();
    const buffer = createDeliveryBuffer(target, { bytes: 100, milliseconds: 0 });
    state.broken = true;
    await expect(buffer.accept(records('refused'))).rejects.toThrow('disk full');
    state.broken = false;
    await buffer.accept(records('taken'));
    expect(delivered).toEqual(['taken']);
    expect(state.timers).toEqual([]);
  });
});
