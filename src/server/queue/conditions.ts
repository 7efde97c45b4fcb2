import { sql } from 'kysely';

// In the words of the partial indices (store/migrations), or they are not used.
export const PENDING = sql<boolean>`status in ('waiting', 'processing')`;
export const WAITING = sql<boolean>`status = 'waiting'`;
export const PROCESSING = sql<boolean>`status = 'processing'`;
export const FINISHED = sql<boolean>`finished_at is not null`;
