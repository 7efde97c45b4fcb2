import type { z } from 'zod';
import { newUuid } from '../../../base/text.ts';
import type { capeChangeSchema, capeFieldsSchema } from '../../../protocol/cape.ts';
import { InvalidImageError } from '../../../skin/picture.ts';
import { decodeCape, type ReadSkin, readSkin } from '../../../skin/read-skin.ts';
import type { Generator } from '../../generators/port.ts';
import type { Db } from '../../store/db.ts';
import { inManagement } from '../../store/locks.ts';
import type { CapeRow } from '../../store/schema/tables.ts';
import {
  capeRowOf,
  changeCape,
  countCapes,
  deleteCapeRow,
  findCape,
  findCapeByAlias,
  insertCape,
  keepTexture,
  listCapes,
} from '../../store/textures.ts';
import { type Caller, requireOperator } from '../callers.ts';
import type { CeilingContext } from '../limits.ts';
import { Refusal } from '../refusal.ts';

/** Decodes a picture sent by a caller. @throws Refusal `invalid_image`, with a description of the problem */
export function decodeImage<T>(image: Uint8Array, decode: (bytes: Uint8Array) => T): T {
  try {
    return decode(image);
  } catch (error) {
    if (!(error instanceof InvalidImageError)) throw error;
    const message = error.hint ? `${error.message} ${error.hint}` : error.message;
    throw new Refusal('invalid_image', { message, cause: error });
  }
}

/** Reads a skin that a caller has sent. @throws Refusal `invalid_image` */
export function readSent(file: Uint8Array): ReadSkin {
  return decodeImage(file, readSkin);
}

/** Limited because every list of capes is a single answer. */
const MAX_CAPES = 1_000;

/** The available capes, by alias. */
export async function readPublicCapes({ db }: { readonly db: Db }): Promise<CapeRow[]> {
  return await listCapes(db, 'public');
}

/** Including hidden ones. @throws Refusal for callers other than the operator */
export async function readAllCapes({ db }: { readonly db: Db }, caller: Caller): Promise<CapeRow[]> {
  requireOperator(caller);
  return await listCapes(db);
}

/**
 * The requested cape of a generation.
 * @throws Refusal `unauthorized`, `insufficient_grants`; `invalid_cape` for one that is unknown or hidden, without telling which
 */
export async function readCapeFor(
  { db, generator }: { readonly db: Db; readonly generator: Pick<Generator, 'refusesCapes'> },
  caller: Caller,
  uuid: string,
): Promise<CapeRow> {
  if (generator.refusesCapes !== undefined) throw new Refusal('invalid_cape', generator.refusesCapes);
  if (!caller.plan.capes) {
    if (caller.kind === 'anonymous') throw new Refusal('unauthorized', 'Capes need an API key.');
    throw new Refusal('insufficient_grants', `The plan ${caller.plan.name} does not include capes.`);
  }
  const cape = await findCape(db, uuid);
  if (cape?.support === 'public') return cape;
  throw new Refusal('invalid_cape', `No cape ${uuid}; GET /v2/capes lists the available ones.`);
}

/** Adds a cape. @throws Refusal `invalid_image`, `invalid_request` when the alias is taken */
export async function addCape(
  context: CeilingContext,
  caller: Caller,
  { image, alias, support }: { image: Uint8Array } & z.output<typeof capeFieldsSchema>,
): Promise<CapeRow> {
  requireOperator(caller);
  context.ceiling.verifyRoom();
  const picture = decodeImage(image, decodeCape);
  const texture = capeRowOf(picture);
  const created_at = context.clock.now();
  const cape = { uuid: newUuid(), alias, support, texture_hash: texture.hash, created_at };
  await inManagement(context.db, async (tx) => {
    if ((await countCapes(tx)) >= MAX_CAPES)
      throw new Refusal(
        'invalid_request',
        `There are already ${MAX_CAPES} capes, the maximum. Delete one first.`,
      );
    await keepTexture(tx, { ...texture, created_at });
    if (!(await insertCape(tx, cape))) throw aliasTaken(alias);
  });
  return cape;
}

/** Changes the alias; hides or shows the cape. @throws Refusal `not_found`, `invalid_request` when the alias is taken */
export async function editCape(
  { db }: { readonly db: Db },
  caller: Caller,
  uuid: string,
  { alias, support }: z.output<typeof capeChangeSchema>,
): Promise<CapeRow> {
  requireOperator(caller);
  return await inManagement(db, async (tx) => {
    const cape = await findCape(tx, uuid);
    if (!cape) throw noSuchCape(uuid);
    const namesake = alias === undefined ? undefined : await findCapeByAlias(tx, alias);
    if (namesake && namesake.uuid !== uuid) throw aliasTaken(namesake.alias);
    const change = { ...(alias !== undefined && { alias }), ...(support !== undefined && { support }) };
    await changeCape(tx, uuid, change);
    return { ...cape, ...change };
  });
}

/** Removes a cape for new skins; existing skins keep it. @throws Refusal `not_found` */
export async function deleteCape({ db }: { readonly db: Db }, caller: Caller, uuid: string): Promise<void> {
  requireOperator(caller);
  if (!(await deleteCapeRow(db, uuid))) throw noSuchCape(uuid);
}

function noSuchCape(uuid: string): Refusal {
  return new Refusal('not_found', `No cape ${uuid}.`);
}

function aliasTaken(alias: string): Refusal {
  return new Refusal('invalid_request', `Cape "${alias}" already exists.`);
}
