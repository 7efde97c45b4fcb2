import { onPostgres } from '../support/postgres/on-postgres.ts';

onPostgres('service/skins', [
  'capes',
  'private-data',
  'sets',
  'skin-changes',
  'skin-filters',
  'skin-lists',
  'skin-picks',
  'skins',
  'tags-and-likes',
]);
