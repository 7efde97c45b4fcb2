import { onPostgres } from '../support/postgres/on-postgres.ts';

onPostgres('service/skins', [
  'capes',
  'private-data',
  'sets',
  'similar-skins',
  'skin-changes',
  'skin-filters',
  'skin-lists',
  'skin-picks',
  'skins',
  'tags-and-likes',
]);
