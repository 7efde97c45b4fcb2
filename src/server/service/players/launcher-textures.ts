import { parsePlayerId } from '../../../game/names.ts';
import { decodeCape } from '../../../skin/read-skin.ts';
import type { Variant } from '../../../skin/regions.ts';
import type { WardrobeRow } from '../../store/schema/tables.ts';
import { capeRowOf, findPublicCapeOf } from '../../store/textures.ts';
import { findName, findNameOfPlayer } from '../../store/wardrobe.ts';
import type { Caller, StoreContext } from '../callers.ts';
import type { GameServers } from '../game-servers.ts';
import { awaitSkin, DEFAULT_PATIENCE, type WaitContext } from '../jobs/jobs.ts';
import { Refusal } from '../refusal.ts';
import { decodeImage } from '../skins/capes.ts';
import { type SubmitContext, submit } from '../submitting/submit.ts';
import { mayManage, noSuchPlayer, undress, type WardrobeContext, wear } from './wardrobe.ts';

interface NamingContext extends StoreContext {
  readonly gameServers: GameServers;
}

interface UploadContext extends NamingContext, WardrobeContext, SubmitContext, WaitContext {}

/** A player, as launchers name them. */
interface Target {
  readonly caller: Caller;
  /** The UUID of a name in offline mode, or of a Minecraft account. */
  readonly uuid: string;
}

/** Lets a name of the caller wear a picture, which becomes an unlisted skin. The name keeps its cape. @throws Refusal */
export async function wearPicture(
  context: UploadContext,
  target: Target,
  { bytes, fileName, variant }: { bytes: Uint8Array; fileName: string | undefined; variant: Variant },
): Promise<void> {
  const { caller } = target;
  const { spelling, cape_hash } = await ownName(context, target);
  const mayKeep = caller.plan.capes && context.generator.refusesCapes === undefined;
  const cape = mayKeep && cape_hash !== null ? await findPublicCapeOf(context.db, cape_hash) : undefined;
  const submitted = await submit(context, {
    ...{ caller, variant, name: null, cape: cape?.uuid },
    ...{ source: { kind: 'upload', bytes, fileName }, visibility: 'unlisted' },
    ...{ via: 'queue', checkOnly: false },
  });
  const made =
    submitted.kind === 'known'
      ? submitted.skin
      : await awaitSkin(context, { caller, job: submitted.job }, DEFAULT_PATIENCE);
  await wear(context, caller, spelling, { skin: made.uuid });
}

/** Lets a name of the caller wear the cape of this service that the picture shows. @throws Refusal */
export async function wearPicturedCape(
  context: UploadContext,
  target: Target,
  bytes: Uint8Array,
): Promise<void> {
  const { spelling } = await ownName(context, target);
  const cape = await findPublicCapeOf(context.db, capeRowOf(decodeImage(bytes, decodeCape)).hash);
  if (!cape)
    throw new Refusal('invalid_cape', 'Only capes that this service has can be worn: GET /v2/capes.');
  await wear(context, target.caller, spelling, { cape: cape.uuid });
}

/** Takes the cape, or everything, off a name of the caller. @throws Refusal */
export async function takeOff(context: UploadContext, target: Target, type: 'skin' | 'cape'): Promise<void> {
  const { spelling, cape_hash } = await ownName(context, target);
  if (type === 'skin') await undress(context, target.caller, spelling);
  else if (cape_hash !== null) await wear(context, target.caller, spelling, { cape: null });
}

/** @throws Refusal `player_not_found`, the same for a name that nobody has as for another user's */
export async function ownName(context: NamingContext, { caller, uuid }: Target): Promise<WardrobeRow> {
  const id = parsePlayerId(uuid);
  if (id === undefined) throw noSuchPlayer();
  const { db, gameServers } = context;
  let row = await findNameOfPlayer(db, id);
  if (!row) {
    const player = await gameServers.profile(id, caller);
    row = player && (await findName(db, player.name.toLowerCase()));
  }
  if (!row || !mayManage(caller, row)) throw noSuchPlayer();
  return row;
}
