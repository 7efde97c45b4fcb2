import { parsedJson } from '../../../base/text.ts';
import type { GameAnswer } from '../../../game/errors.ts';
import { isOfflineId, type PlayerName } from '../../../game/names.ts';
import type { SignedProfile } from '../../../game/profiles.ts';
import { parseTexturesValue } from '../../../textures/property.ts';
import type { Db } from '../../store/db.ts';
import { findWorn, type WornRow } from '../../store/wardrobe.ts';

/** `isWorn`: its textures are those that the name wears here, so that the name's user may replace them. */
export type ServedProfile = SignedProfile & { readonly isWorn?: boolean };

/** The profile of a player in offline mode whose name wears something. `id`: 32 digits. */
export async function offlineProfile(db: Db, id: string): Promise<ServedProfile | undefined> {
  const worn = isOfflineId(id) ? await findWorn(db, { playerId: id }) : undefined;
  return worn && dressed({ id, name: worn.spelling, actions: [] }, worn);
}

/** The profile with what the player's name wears here, if it does. */
export async function withWorn(db: Db, profile: SignedProfile): Promise<ServedProfile> {
  const worn = await findWorn(db, { name: profile.name.toLowerCase() });
  return worn ? dressed(profile, worn) : profile;
}

function dressed(
  { id, name, actions }: Pick<SignedProfile, 'id' | 'name' | 'actions'>,
  { value, signature }: WornRow,
): ServedProfile {
  return { id, name, actions, value, signature, textures: parseTexturesValue(value), isWorn: true };
}

/** The players in offline mode whose names wear something, of these names. */
export async function offlinePlayers(db: Db, names: readonly string[]): Promise<PlayerName[]> {
  const found = await Promise.all(names.map((name) => findWorn(db, { name: name.toLowerCase() })));
  return found.flatMap((worn) => (worn ? [{ id: worn.player_id, name: worn.spelling }] : []));
}

interface JoinedProfile {
  readonly name: string;
  readonly properties: readonly { readonly name: string }[];
}

/** The game's answer that a player has joined, with what the player's name wears here; the same answer if nothing. */
export async function joinedInWorn(db: Db, answer: GameAnswer): Promise<GameAnswer> {
  if (answer.status !== 200) return answer;
  const profile = parsedJson(answer.bytes);
  if (!isJoined(profile)) return answer;
  const worn = await findWorn(db, { name: profile.name.toLowerCase() });
  if (!worn) return answer;
  const { value, signature } = worn;
  const others = profile.properties.filter(({ name }) => name !== 'textures');
  const properties = [...others, { name: 'textures', value, signature }];
  return { ...answer, bytes: Buffer.from(JSON.stringify({ ...profile, properties })) };
}

function isJoined(json: unknown): json is JoinedProfile {
  const { name, properties } = (json ?? {}) as Partial<JoinedProfile>;
  return typeof name === 'string' && Array.isArray(properties);
}
