import { expect, test } from '@jest/globals';
import { STREAMS, streamsOn } from '../../lambda/streams.ts';

test('a stream is on that has a path of its own, or is given one; an empty one is none', () => {
  const all = streamsOn(({ pathOption }) => `/given/${pathOption}`);
  expect(all.map(({ name, path }) => [name, path])).toEqual(
    STREAMS.map(stream => [stream.name, 'path' in stream ? stream.path : `/given/${stream.pathOption}`]),
  );
  const own = STREAMS.filter(stream => 'path' in stream).map(({ name }) => name);
  expect(own.length).toBeLessThan(all.length);
  for (const nothing of [undefined, '']) expect(streamsOn(() => nothing).map(({ name }) => name)).toEqual(own);
});
