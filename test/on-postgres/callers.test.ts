import { onPostgres } from '../support/postgres/on-postgres.ts';

onPostgres('service/callers', ['keys', 'revoking', 'users']);
