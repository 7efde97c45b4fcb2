import { onPostgres } from '../support/postgres/on-postgres.ts';

onPostgres('service/limits', ['fairness', 'limits']);
