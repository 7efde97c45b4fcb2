import { onPostgres } from '../support/postgres/on-postgres.ts';

onPostgres('contract', ['adapters']);
