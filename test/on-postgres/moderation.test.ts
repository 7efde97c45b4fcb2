import { onPostgres } from '../support/postgres/on-postgres.ts';

// Reports are rows that one person writes and another reads, by statements that are the same for both.
onPostgres('service/moderation', ['decisions'], ['reports', 'operator-feed']);
