import { expect, test } from '@jest/globals';
import { unchunk } from '../../../local/aws/s3.ts';

test('chunks are joined, with or without signatures, and the trailers are read', () => {
  const body = Buffer.from(
    '4;chunk-signature=00\r\n\r\n\r\n\r\nA\r\n0123456789\r\n0\r\nX-Amz-Checksum-CRC32: abc=\r\n\r\n',
  );
  const { content, trailers } = unchunk(body);
  expect(content.toString()).toBe('\r\n\r\n0123456789');
  expect([...trailers]).toEqual([['x-amz-checksum-crc32', 'abc=']]);
});

test('an empty content is one chunk of no length', () => {
  expect(unchunk(Buffer.from('0\r\n\r\n')).content).toHaveLength(0);
});

test.each(['', 'xyz\r\n', '5\r\nabc\r\n0\r\n\r\n', '3\r\nabc\r\n', '3\r\nabcd\r\n0\r\n\r\n', '-1\r\n\r\n0\r\n\r\n'])(
  'a body that is not chunked as it says is refused: %j',
  text => {
    expect(() => unchunk(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'IncompleteBody' }));
  },
);
