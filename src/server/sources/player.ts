import { fetchBedrockProfile, floodgatePlayer, parseBedrockPlayer } from '../../game/bedrock.ts';
import { GameError } from '../../game/errors.ts';
import { isOfflineId, isPlayerName, parsePlayerId } from '../../game/names.ts';
import { fetchSignedProfile, type SignedProfile } from '../../game/profiles.ts';
import { requireRoom, spendGeneration } from '../service/limits.ts';
import { Refusal } from '../service/refusal.ts';
import { profileIdentity } from '../service/skins/identity.ts';
import {
  findPlayerData,
  findTextureData,
  PLAYER_AGE,
  type PlayerKey,
  rememberPlayer,
} from '../store/textures.ts';
import { withinFetchLimits } from './fetches.ts';
import { keptProfile, type ProfileFacts, readProfileData, requestFromGame } from './profile-data.ts';
import type { SignedMaterial, SourceContext, SourceRequest } from './source.ts';

/**
 * A player's skin as signed by the game. A successful lookup costs as much as a generation; a profile from a recent
 * lookup, and a lookup that finds no player or no skin, cost nothing. The number of requests to other servers is
 * limited separately (fetches.ts).
 * @throws Refusal `invalid_user`, `invalid_skin_data`, `rate_limit`, `service_unavailable`
 */
export async function readPlayer(
  context: SourceContext,
  text: string,
  request: SourceRequest,
): Promise<SignedMaterial> {
  const player = parsePlayer(text);
  const known = await findPlayerData(context.db, player, context.clock.now() - PLAYER_AGE);
  if (known) return keptProfile(known);
  await requireRoom(context, request);
  return await withinFetchLimits(context, request, async () => await lookUp(context, player, request));
}

function parsePlayer(text: string): PlayerKey {
  const bedrock = floodgatePlayer(text);
  if (bedrock) return bedrock;
  const id = parsePlayerId(text);
  if (id === undefined && isPlayerName(text)) return { name: text };
  if (id === undefined) {
    throw new Refusal(
      'invalid_user',
      "Give the player's UUID (32 hexadecimal digits, or 36 characters with dashes) or name (at most 16 letters, digits and _), or bedrock: and the name of a player of Bedrock Edition.",
    );
  }
  if (!isOfflineId(id)) return { id };
  throw new Refusal(
    'invalid_user',
    'This UUID (version 3) comes from a server in offline mode, so the game does not know the player. Give the UUID or name of a game account.',
  );
}

async function lookUp(
  context: SourceContext,
  player: PlayerKey,
  request: SourceRequest,
): Promise<SignedMaterial> {
  const { clock, db } = context;
  const start = clock.monotonic();
  const profile = await askForProfile(context, player, request);
  const facts = await verified(context, profile, request);
  await spendGeneration(context, request);
  await rememberPlayer(db, {
    id: profile.id,
    name: profile.name,
    identity: facts.identity,
    looked_up_at: clock.now(),
  });
  const known = await findTextureData(db, facts.identity);
  if (known) return keptProfile(known);
  const duration = () => Math.round(clock.monotonic() - start);
  return await requestFromGame(
    context,
    request,
    async () => await readProfileData(context.game, facts, duration),
    {
      not_found: () => unusable('its texture is missing'),
      unexpected: (cause) =>
        new Refusal('invalid_user', { message: `The player's skin cannot be used. ${cause.message}`, cause }),
    },
  );
}

async function askForProfile(
  context: SourceContext,
  player: PlayerKey,
  request: SourceRequest,
): Promise<SignedProfile> {
  const { http, names } = context.game;
  const key = 'id' in player ? player.id : player.name;
  const bedrock = parseBedrockPlayer(key);
  const ask = async () => {
    if (bedrock !== undefined) return await fetchBedrockProfile(http, bedrock);
    const found = 'id' in player ? player : await names.find(player.name);
    if (found) return await fetchSignedProfile(http, found.id);
    throw new GameError('not_found', 'No player has this name.');
  };
  return await requestFromGame(context, request, ask, {
    no_skin: ({ message }) =>
      new Refusal('invalid_user', `${message} It has those of players who have joined a server through it.`),
    not_found: () => {
      const named = 'id' in player ? `with the UUID ${player.id}` : `called ${player.name}`;
      return new Refusal('invalid_user', `The game has no player ${named}.`);
    },
    unexpected: (cause) => unusable('it cannot be read', cause),
  });
}

async function verified(
  context: SourceContext,
  profile: SignedProfile,
  request: SourceRequest,
): Promise<ProfileFacts> {
  const { id, name, value, signature, textures } = profile;
  const { skin, cape } = textures;
  if (!skin) {
    throw new Refusal('invalid_user', `${name} only has a default skin, which is not signed.`);
  }
  const { keys } = context.game;
  const isSigned = await requestFromGame(
    context,
    request,
    async () => await keys.hasSigned(value, signature),
  );
  if (!isSigned) throw unusable('the game has not signed it');
  const look = { id, name, skinUrl: skin.url, variant: skin.variant, capeUrl: cape?.url };
  return { ...look, value, signature, identity: profileIdentity(look) };
}

function unusable(why: string, cause?: unknown): Refusal {
  return new Refusal('invalid_skin_data', { message: `The player's profile cannot be used: ${why}.`, cause });
}
