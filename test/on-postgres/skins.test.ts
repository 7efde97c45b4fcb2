import { onPostgres } from '../support/postgres/on-postgres.ts';

onPostgres(
  'service/skins',
  // Their statements differ, or several run at once: searches, pages, draws, likenesses, names that are unique.
  ['sets', 'similar-skins', 'skin-filters', 'skin-lists', 'skin-picks', 'tags-and-likes'],
  // They read and change single rows by statements that are the same for both.
  ['capes', 'private-data', 'skin-changes', 'skins'],
);
