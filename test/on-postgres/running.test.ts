import { onPostgres } from '../support/postgres/on-postgres.ts';

onPostgres('service/running', ['doctor', 'fuzz', 'refused-by-postgres', 'statements', 'too-new-store']);
