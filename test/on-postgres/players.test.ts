import { onPostgres } from '../support/postgres/on-postgres.ts';

onPostgres(
  'service/players',
  // Several statements at once decide about a name.
  ['wardrobe'],
  // They read single rows by statements that are the same for both.
  ['readers'],
);
