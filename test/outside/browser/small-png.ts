/** Screenshots as PNG with a palette: a third of the bytes, and of a page of few colours no eye sees the difference. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOURS = 256;

/** @param png as a browser writes it: 8 bits a channel, RGB or RGBA, not interlaced @throws RangeError for another */
export function withPalette(png: Uint8Array): Buffer {
  const { width, height, pixels } = decoded(Buffer.from(png));
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const palette = [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, COLOURS)
    .map(([colour]) => colour);
  const index = new Map(palette.map((colour, place) => [colour, place]));
  const lines = Buffer.alloc(height * (width + 1));
  for (const [at, pixel] of pixels.entries()) {
    const place = index.get(pixel) ?? nearest(palette, pixel);
    index.set(pixel, place);
    lines[at + Math.floor(at / width) + 1] = place;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap(colour => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const data = deflateSync(lines, { level: 9 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function nearest(palette: readonly number[], colour: number): number {
  const distances = palette.map(each => {
    const [red, green, blue] = [16, 8, 0].map(shift => ((each >> shift) & 255) - ((colour >> shift) & 255));
    return red! ** 2 + green! ** 2 + blue! ** 2;
  });
  return distances.indexOf(Math.min(...distances));
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}

interface Decoded {
  readonly width: number;
  readonly height: number;
  /** 0xRRGGBB each. */
  readonly pixels: Uint32Array;
}

function decoded(png: Buffer): Decoded {
  const parts: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(data);
  }
  const [width, height, depth, type, interlaced] = [
    png.readUInt32BE(16),
    png.readUInt32BE(20),
    png[24],
    png[25],
    png[28],
  ];
  const channels = type === 6 ? 4 : 3;
  if (depth !== 8 || (type !== 6 && type !== 2) || interlaced !== 0) throw new RangeError('Not a PNG of a browser.');
  const lines = unfiltered(inflateSync(Buffer.concat(parts)), width * channels, channels);
  const pixels = new Uint32Array(width * height);
  for (const at of pixels.keys()) pixels[at] = lines.readUIntBE(at * channels, 3);
  return { width, height, pixels };
}

/** Each line begins with the number of its filter, which says what was subtracted from its bytes. */
function unfiltered(data: Buffer, stride: number, channels: number): Buffer {
  const height = data.length / (stride + 1);
  const lines = Buffer.alloc(height * stride);
  for (let line = 0; line < height; line++) {
    const filter = data[line * (stride + 1)]!;
    for (let column = 0; column < stride; column++) {
      const at = line * stride + column;
      const left = column >= channels ? lines[at - channels]! : 0;
      const up = line > 0 ? lines[at - stride]! : 0;
      const corner = line > 0 && column >= channels ? lines[at - stride - channels]! : 0;
      const added = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!;
      lines[at] = data[line * (stride + 1) + 1 + column]! + added;
    }
  }
  return lines;
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [ofLeft, ofUp, ofCorner] = [left, up, corner].map(each => Math.abs(estimate - each)) as [
    number,
    number,
    number,
  ];
  if (ofLeft <= ofUp && ofLeft <= ofCorner) return left;
  return ofUp <= ofCorner ? up : corner;
}
