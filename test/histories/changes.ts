/** The words that change the rows of the API. */

import type { StreamName, VersionedStreamName } from '../../lambda/streams.ts';
import type { ApiSimulator } from '../../local/api-simulator/simulator.ts';

/** Rows of a capital letter: more than DynamoDB reads in one batch. */
const MANY = 130;
const LONG_ID = 1_100;
const FAT_BYTES = 600_000;

export interface RowShape {
  /** Ids are too long for a key of DynamoDB. */
  readonly longIds: boolean;
  /** Rows are so long that a few of them make several records of Firehose. */
  readonly fat: boolean;
  readonly assetMember: string;
}

/** A change that is impossible now, for example the removal of an asset that is already removed. */
export class Impossible extends Error {}

export function streamOf(name: string): StreamName {
  if (/^[abxy]/i.test(name)) return 'assets';
  return name.startsWith('d') ? 'dns-blocks' : 'threats';
}

/** Ids of the rows that a name stands for: one, or with a capital letter many. */
export function idsOf(name: string, { longIds }: Pick<RowShape, 'longIds'>): string[] {
  const names = /^[A-Z]$/.test(name) ? Array.from({ length: MANY }, (_, index) => `${name}${index}`) : [name];
  return longIds ? names.map(short => short.padEnd(LONG_ID, '-')) : names;
}

/**
 *     a=1   t=2@a   -a   +a   ~t   ?b   d1
 *
 * @throws Impossible
 */
export function changeRows(word: string, simulator: ApiSimulator, shape: RowShape): void {
  const [, name = '', content, asset] = /^([abtuxyzABTU])=(\d)(?:@([abxyAB]))?$/.exec(word) ?? [];
  if (content !== undefined) {
    put({ name, content, asset }, simulator, shape);
    return;
  }

  const [, verb, row = ''] = /^([-+~?])([abtuxyzABTU])$/.exec(word) ?? [];
  const stream = streamOf(row) as VersionedStreamName;
  for (const id of idsOf(row, shape)) {
    if (verb === '-') attempt(() => simulator.remove(stream, id));
    else if (verb === '+') attempt(() => simulator.restore(stream, id));
    else if (verb === '~') attempt(() => simulator.redeliver(stream, id));
    else if (verb === '?') attempt(() => simulator.tombstoneUnseen(stream, id));
  }
  if (verb !== undefined) return;

  if (!/^d\d$/.test(word)) throw new SyntaxError(`Unknown word: ${word}`);
  attempt(() => simulator.put('dns-blocks', rowText(word, '1', '', shape)));
}

interface Put {
  readonly name: string;
  readonly content: string;
  readonly asset: string | undefined;
}

function put({ name, content, asset }: Put, simulator: ApiSimulator, shape: RowShape): void {
  const stream = streamOf(name) as VersionedStreamName;
  const { latest } = simulator.tenantData.streams[stream];
  const assets = asset === undefined ? [] : idsOf(asset, shape);
  for (const [index, id] of idsOf(name, shape).entries()) {
    const parent = assets[index % assets.length];
    if (stream === 'threats') {
      if (latest.has(id) && !simulator.tenantData.isLive(stream, id)) throw new Impossible(`${name} is not listed`);
      if (parent !== undefined && !simulator.tenantData.isLive('assets', parent))
        throw new Impossible(`${asset} is not listed`);
    }
    const member = parent === undefined ? '' : `,"${shape.assetMember}":"${parent}"`;
    attempt(() => simulator.put(stream, rowText(id, content, member, shape)));
  }
}

/** A row with digits, names and characters that JSON readers like to change. */
function rowText(id: string, content: string, members: string, { fat }: RowShape): string {
  const exact = '"n":12345678901234567890.10,"__proto__":{"\\u00e9":1.0},"e":""';
  const long = fat ? `,"f":"${'x'.repeat(FAT_BYTES)}"` : '';
  const time = id.startsWith('d') ? '' : '"updated_at":"2026-01-01T00:00:00.000Z",';
  return `{"id":"${id}",${time}"c":${content},"o":"${content}",${exact}${members}${long}}`;
}

/** The API simulator refuses what is impossible. */
function attempt(change: () => void): void {
  try {
    change();
  } catch (error) {
    throw new Impossible((error as Error).message);
  }
}
