import { onPostgres } from '../support/postgres/on-postgres.ts';

// Keys are rows that are read and changed by statements that are the same for both.
onPostgres('service/callers', ['revoking', 'users'], ['keys']);
