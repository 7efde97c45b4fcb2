import { DatabaseSync } from 'node:sqlite';

/** Number of skins with a rare word in their names. */
export const RARE = 60;

/**
 * Gives a store with one public skin `count` more, which all have its picture. Every thousandth or so is named after a
 * rare word. No server may have the store open.
 */
export function fillGallery(path: string, count: number): void {
  const database = new DatabaseSync(path);
  const step = Math.floor(count / RARE);
  const numbers = `with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${count})`;
  database.exec(`pragma synchronous = off; begin;
    ${numbers} insert into skins (uuid, owner, identity, name, visibility, views, created_at)
      select printf('%032x', i), owner, identity, iif(i % ${step} = 0, 'Rare ' || i, 'Common ' || i), 'public', i % 1000, created_at
      from numbers, (select * from skins limit 1);
    insert into skin_words (word, skin_id) select 'rare', id from skins where name like 'Rare %';
    insert into skin_words (word, skin_id) select 'common', id from skins where name like 'Common %' and id % 10 = 0;
    commit;`);
  database.close();
}
