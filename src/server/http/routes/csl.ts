import { z } from 'zod';
import { errorAnswerSchema } from '../../../protocol/envelope.ts';
import { imageHashSchema } from '../../../protocol/moderation.ts';
import { noSuchPlayer } from '../../service/players/wardrobe.ts';
import { Refusal } from '../../service/refusal.ts';
import { findServedTexture } from '../../store/textures.ts';
import { findWorn, type WornRow } from '../../store/wardrobe.ts';
import { type Call, type Route, route } from '../route.ts';
import { MAX_NAME_LENGTH } from './game-servers.ts';
import { IMMUTABLE, pngAnswer } from './pictures.ts';

/** What the mod CustomSkinLoader reads of a profile. `skins` has one entry: a second model would be ignored. */
const profileSchema = z.object({
  username: z.string(),
  skins: z.object({ default: z.string() }).or(z.object({ slim: z.string() })),
  cape: z.string().optional(),
});

const fileParams = z.object({ file: z.string().max(MAX_NAME_LENGTH) });
/** Seconds: players who change their skins should see it soon, and the mod asks for every player. */
const WORN = { 'Cache-Control': 'public, max-age=60' };

/**
 * What CustomSkinLoader requests below the root that its configuration names: a profile by the name of the player, then
 * the textures in it. Its kind `Legacy`, and SkinsRestorer by URL, request the pictures by name.
 */
export const CSL_ROUTES: readonly Route[] = [
  route('GET /csl/:file', {
    authenticated: false,
    summary: 'What a player name wears, for CustomSkinLoader (CustomSkinAPI): <name>.json',
    params: fileParams,
    answers: { 200: profileSchema, 404: errorAnswerSchema },
    handle: async (call) => {
      const { spelling, variant, texture_hash, cape_hash } = await wornBy(call, '.json');
      const skins = variant === 'slim' ? { slim: texture_hash } : { default: texture_hash };
      const body = { username: spelling, skins, ...(cape_hash !== null && { cape: cape_hash }) };
      return { status: 200, body, headers: WORN };
    },
  }),
  route('GET /csl/textures/:hash', {
    authenticated: false,
    summary: 'A texture by its hash, for CustomSkinLoader',
    params: z.object({ hash: imageHashSchema }),
    answers: { 200: 'image/png', 404: errorAnswerSchema },
    handle: async (call) => await textureAnswer(call, call.params.hash, IMMUTABLE),
  }),
  pictureRoute('skins', ({ texture_hash }) => texture_hash),
  pictureRoute('capes', ({ cape_hash }) => cape_hash),
];

function pictureRoute(folder: 'skins' | 'capes', hashOf: (worn: WornRow) => string | null): Route {
  return route(`GET /csl/${folder}/:file`, {
    authenticated: false,
    summary: `The texture that a player name wears, for CustomSkinLoader (Legacy): ${folder}/<name>.png`,
    params: fileParams,
    answers: { 200: 'image/png', 404: errorAnswerSchema },
    handle: async (call) => {
      const hash = hashOf(await wornBy(call, '.png'));
      if (hash === null) throw noSuchPlayer();
      return await textureAnswer(call, hash, WORN);
    },
  });
}

/** @throws Refusal `player_not_found` */
async function wornBy(
  { context, params: { file } }: Call<z.output<typeof fileParams>>,
  ending: string,
): Promise<WornRow> {
  const name = file.endsWith(ending) ? file.slice(0, -ending.length).toLowerCase() : '';
  const worn = name === '' ? undefined : await findWorn(context.db, { name });
  if (!worn) throw noSuchPlayer();
  return worn;
}

async function textureAnswer(
  call: Pick<Call, 'request' | 'context'>,
  hash: string,
  headers: Readonly<Record<string, string>>,
) {
  const texture = await findServedTexture(call.context.db, hash);
  if (!texture) throw new Refusal('not_found', 'Texture not found.');
  return pngAnswer(call, { name: hash, png: texture.png }, headers);
}
