import { z } from 'zod';
import { GameError } from '../../../../game/errors.ts';
import { isPlayerName } from '../../../../game/names.ts';
import { fetchSignedProfile } from '../../../../game/profiles.ts';
import { uuidSchema } from '../../../../protocol/skin.ts';
import { v1ErrorAnswerSchema, v1PlayerSchema } from '../../../../protocol/v1.ts';
import { withinFetchLimits } from '../../../sources/fetches.ts';
import { asksGame } from '../../../sources/profile-data.ts';
import { type Answer, type Call, route } from '../../route.ts';
import { versionHeader } from '../../v1/error-answers.ts';

interface Player {
  readonly id: string;
  readonly name: string;
}

const answers = {
  200: v1PlayerSchema,
  400: v1ErrorAnswerSchema,
  404: v1PlayerSchema,
  429: v1ErrorAnswerSchema,
};

export const v1ValidNameRoute = route({
  method: 'GET',
  paths: ['/validate/name/:name', '/validate/user/:name'],
  summary: 'Whether a player has this name (version 1)',
  deprecated: true,
  params: z.object({ name: z.string().min(1).max(16) }),
  answers,
  handle: async (call) => {
    const { name } = call.params;
    if (!isPlayerName(name)) return playerAnswer(undefined);
    return await answer(call, async () => (await call.context.game.names.find(name)) ?? undefined);
  },
});

export const v1ValidUuidRoute = route({
  method: 'GET',
  paths: ['/validate/uuid/:uuid', '/validate/currentUsername/:uuid'],
  summary: 'Whether a player has this UUID (version 1)',
  deprecated: true,
  params: z.object({ uuid: uuidSchema }),
  answers,
  handle: async (call) =>
    await answer(call, async () => await fetchSignedProfile(call.context.game.http, call.params.uuid)),
});

/** Counts as a fetch by the caller. */
async function answer(
  { context, caller }: Call<unknown, unknown>,
  find: () => Promise<Player | undefined>,
): Promise<Answer> {
  const asking = { caller, via: 'v1' } as const;
  const ask = async () => await asksGame(context, asking, async () => await unlessNobody(find));
  return playerAnswer(await withinFetchLimits(context, asking, ask));
}

function playerAnswer(player: Player | undefined): Answer {
  const body = player ? { valid: true, uuid: player.id, name: player.name } : { valid: false };
  return { status: player ? 200 : 404, body, headers: versionHeader('v1') };
}

async function unlessNobody(find: () => Promise<Player | undefined>): Promise<Player | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof GameError && error.kind === 'not_found') return undefined;
    throw error;
  }
}
