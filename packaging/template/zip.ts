import { crc32 } from 'node:zlib';

/** 1 January 1980, the first date that a zip file can have. */
const DATE = 0x21;
/** Everyone may read the file, and its owner may write it. */
const MODE = 0o100644;

/**
 * Makes a zip file whose bytes follow only from names and contents. The files are stored without
 * compression, because zlib may compress differently on another machine, and everybody should be
 * able to make the released file from its sources and compare the checksums.
 */
export function zipFile(files: Readonly<Record<string, Uint8Array>>): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;

  for (const [file, content] of Object.entries(files)) {
    const name = Buffer.from(file);
    const common = [u16(0), u16(0), u16(0), u16(DATE), u32(crc32(content)), u32(content.length), u32(content.length)];
    const header = [u32(0x04034b50), u16(10), ...common, u16(name.length), u16(0), name];
    local.push(...header, Buffer.from(content));
    const rest = [u16(name.length), u16(0), u16(0), u16(0), u16(0), u32(MODE * 0x10000), u32(offset), name];
    central.push(u32(0x02014b50), u16(0x030a), u16(10), ...common, ...rest);
    offset += Buffer.concat(header).length + content.length;
  }

  const entries = Buffer.concat(central);
  const count = u16(Object.keys(files).length);
  const end = [u32(0x06054b50), u16(0), u16(0), count, count, u32(entries.length), u32(offset), u16(0)];
  return Buffer.concat([...local, entries, ...end]);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
