import { onPostgres } from '../support/postgres/on-postgres.ts';

onPostgres('service/running', [
  'conformance',
  'doctor',
  'fuzz',
  'refused-by-postgres',
  'statements',
  'too-new-store',
]);
