import type { Selectable } from 'kysely';

/** A process that uses a store on PostgreSQL. Its times are by the database's clock. */
export interface NodesTable {
  /** The holder of its leases (queue/leases.ts). */
  id: string;
  /** Of the program. */
  version: string;
  started_at: number;
  seen_at: number;
}

/** Something that one process at a time does every so often, for all of them. */
export interface ChoresTable {
  name: string;
  /** When it is to be done again. */
  due_at: number;
  lease_owner: string | null;
  lease_until: number | null;
}

export type NodeRow = Selectable<NodesTable>;
