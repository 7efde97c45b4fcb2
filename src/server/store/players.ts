import type { Db } from './db.ts';
import type { PlayerRow, TextureDataRow } from './schema/tables.ts';

/** Milliseconds for which a looked-up profile is reused: as long as in the hosted service. */
export const PLAYER_AGE = 30 * 60_000;

/** A player by UUID (32 lower-case digits) or by name. */
export type PlayerKey = { readonly id: string } | { readonly name: string };

/** The player's signed data, if it was looked up since `after` and still exists. */
export async function findPlayerData(
  db: Db,
  player: PlayerKey,
  after: number,
): Promise<TextureDataRow | undefined> {
  let query = db
    .selectFrom('players')
    .innerJoin('texture_data', 'texture_data.identity', 'players.identity')
    .selectAll('texture_data')
    .where('players.looked_up_at', '>', after);
  query =
    'id' in player
      ? query.where('players.id', '=', player.id)
      : query.where('players.name', '=', player.name.toLowerCase());
  // If two players had the same name, the one seen with it last.
  return await query.orderBy('players.looked_up_at', 'desc').limit(1).executeTakeFirst();
}

export async function rememberPlayer(db: Db, player: PlayerRow): Promise<void> {
  const row = { ...player, name: player.name.toLowerCase() };
  await db
    .insertInto('players')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** Removes players that would be looked up again anyway. */
export async function forgetPlayers(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('players')
    .where('looked_up_at', '<=', now - PLAYER_AGE)
    .execute();
}
