declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** `path` is the folder of the database; without it the database is in memory. Times are in milliseconds. */
  type DynaliteOptions = { path?: string; createTableMs?: number; deleteTableMs?: number };

  export default function dynalite(options: DynaliteOptions): Server;
}
