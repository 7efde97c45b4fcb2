import { onPostgres } from '../support/postgres/on-postgres.ts';

onPostgres(
  'service/running',
  ['doctor', 'fuzz', 'refused-by-postgres', 'statements', 'too-new-store'],
  // It judges the interface, in which the store has no part.
  ['conformance'],
);
