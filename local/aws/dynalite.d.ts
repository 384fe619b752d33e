declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** Times in milliseconds; without a path everything is kept in memory. */
  interface DynaliteOptions {
    readonly path?: string;
    readonly createTableMs?: number;
    readonly deleteTableMs?: number;
    readonly updateTableMs?: number;
  }

  /** Closing the server closes the store too. */
  export default function dynalite(options?: DynaliteOptions): Server;
}
