/** The table in memory, answering commands of the SDK. */
import { AwsError } from '../../local/aws/service.ts';
import { type Item, MemoryTable } from '../../local/aws/table.ts';

/** A command of the SDK: its class names the operation. */
export interface Command {
  readonly constructor: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: inputs of many commands
  readonly input: any;
}

export type Keep = (item: Item) => Item;

/** So few items that most answers have a second page, which shows whether the caller goes on. */
const PAGE_BYTES = 8 * 1024;

export class Table extends MemoryTable {
  /** Keys that were written. */
  readonly written: string[] = [];

  /** @param keep what is stored of an item that is written @default all of it */
  constructor(keep?: Keep, items: Iterable<Item> = []) {
    super('table', {
      items,
      pageBytes: PAGE_BYTES,
      onWrite: (key, item) => {
        this.written.push(`${key['pk']!.S}\n${key['sk']!.S}`);
        if (item && keep) this.set(key, keep(item));
      },
    });
  }

  execute({ constructor: { name }, input }: Command): Readonly<Record<string, unknown>> {
    try {
      return this.perform(name.replace(/Command$/, ''), input).output;
    } catch (error) {
      throw error instanceof AwsError ? failure(error.code, error.status) : error;
    }
  }
}

export function fail(name: string, status: number): never {
  throw failure(name, status);
}

function failure(name: string, httpStatusCode: number): Error {
  return Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });
}
