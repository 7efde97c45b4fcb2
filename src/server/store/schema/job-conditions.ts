import { sql } from 'kysely';

// The same expressions as in the partial indices (first-schema.ts); otherwise SQLite does not use those.
export const PENDING = sql<boolean>`status in ('waiting', 'processing')`;
export const WAITING = sql<boolean>`status = 'waiting'`;
export const PROCESSING = sql<boolean>`status = 'processing'`;
export const COMPLETED = sql<boolean>`status = 'completed'`;
export const FAILED = sql<boolean>`status = 'failed'`;
export const FINISHED = sql<boolean>`finished_at is not null`;
