import { randomBytes } from 'node:crypto';
import { type ExpressionBuilder, sql } from 'kysely';
import { isBlocked } from '../store/blocked-images.ts';
import { makeCallbacksDue } from '../store/callbacks.ts';
import { type Db, inTransaction } from '../store/db.ts';
import { isPostgres } from '../store/dialect.ts';
import { lockOwnerOfJob } from '../store/locks.ts';
import { prepare } from '../store/prepared.ts';
import type { TextureDataRow } from '../store/schema/skin-tables.ts';
import { endsIn } from '../store/skin-words.ts';
import { addSkin } from '../store/skins.ts';
import { keepTextureData } from '../store/textures.ts';
import type { GeneratedData, Lease } from './port.ts';
import { updateState } from './states.ts';

/**
 * Stores the signed data and the caller's skin record and completes the job, in one transaction. False if the lease is
 * lost, or an operator has blocked the image.
 */
export async function completeWithSkin(
  db: Db,
  lease: Lease,
  data: GeneratedData,
  now: number,
): Promise<boolean> {
  return await inTransaction(db, async (tx) => {
    await lockOwnerOfJob(tx, lease.job.uuid);
    const record = isPostgres(tx) ? recordTogether : recordInSteps;
    const ended = await record(tx, completionOf(lease, now), { ...textureDataOf(lease, data, now) });
    if (ended && ended.callback !== null) await makeCallbacksDue(tx, lease.job.uuid);
    return ended !== undefined;
  });
}

function completionOf({ job, owner: leaseOwner }: Lease, now: number): Completion {
  const { owner, identity, name, visibility } = job;
  const newSkin = randomBytes(16).toString('hex');
  const skin = { newSkin, owner, identity, visibility, ...(name !== null && { name }) };
  return { job: job.uuid, leaseOwner, textureHash: job.texture_hash, now, ...skin };
}

function textureDataOf({ job }: Lease, data: GeneratedData, now: number): TextureDataRow {
  return {
    identity: job.identity,
    texture_hash: job.texture_hash,
    variant: job.variant,
    value: data.value,
    signature: data.signature,
    url: data.url,
    generator_version: data.version,
    account: data.account,
    server: data.server,
    worker: data.worker,
    created_at: now,
    duration: data.duration,
    cape_hash: job.cape_hash,
    cape_url: data.capeUrl ?? null,
  };
}

/** What became of the job; undefined if it was not completed. */
interface Ended {
  readonly skin_uuid: string | null;
  /** A callback of it. */
  readonly callback: number | null;
}

async function recordInSteps(
  tx: Db,
  completion: Completion,
  data: TextureDataRow,
): Promise<Ended | undefined> {
  const ended = await COMPLETE.first(tx, completion);
  if (!ended) return undefined;
  await keepTextureData(tx, data);
  const { newSkin: uuid, owner, identity, name = null, visibility, now } = completion;
  if (ended.skin_uuid === uuid)
    await addSkin(tx, { uuid, owner, identity, name, visibility, created_at: now });
  return ended;
}

/** The same with one statement, because each goes to another process and back. */
async function recordTogether(
  tx: Db,
  completion: Completion,
  data: TextureDataRow,
): Promise<Ended | undefined> {
  return await COMPLETE_TOGETHER.first(tx, { ...data, ...completion, words: endsIn(completion.name ?? '') });
}

interface Completion {
  readonly job: string;
  readonly leaseOwner: string;
  /** UUID of its skin, unless the owner has a record that suits. */
  readonly newSkin: string;
  readonly textureHash: string;
  readonly owner: string;
  readonly identity: string;
  readonly visibility: Lease['job']['visibility'];
  /** Without one, a record with any name suits. */
  readonly name?: string;
  readonly now: number;
}

/** Returns no row if the lease is lost or the image is blocked. */
const COMPLETE = prepare(completing);

function completing(
  db: Pick<Db, 'updateTable'>,
  { job, leaseOwner, newSkin, textureHash, now, ...skin }: Completion,
) {
  return updateState(db, 'processing', 'completed')
    .set((eb) => {
      const own = eb
        .selectFrom('skins')
        .select('skins.uuid')
        .where('skins.owner', '=', skin.owner)
        .where('skins.identity', '=', skin.identity)
        .where('skins.visibility', '=', skin.visibility)
        .orderBy('skins.id')
        .limit(1);
      const matching = skin.name === undefined ? own : own.where('skins.name', '=', skin.name);
      return { skin_uuid: eb.fn.coalesce(matching, eb.val(newSkin)) };
    })
    .set({ lease_owner: null, lease_until: null, error_code: null, error_message: null, finished_at: now })
    .where('uuid', '=', job)
    .where('lease_owner', '=', leaseOwner)
    .where((eb) => eb.not(isBlocked(textureHash)))
    .returning('skin_uuid')
    .returning((eb) =>
      eb
        .selectFrom('callbacks')
        .select('callbacks.id')
        .whereRef('callbacks.job_id', '=', 'jobs.id')
        .limit(1)
        .as('callback'),
    );
}

type Together = Completion & TextureDataRow & { readonly words: readonly string[] };

const COMPLETE_TOGETHER = prepare((db, { words, ...values }: Together) => {
  const { job, leaseOwner, newSkin, textureHash, owner, visibility, name, now, ...data } = values;
  const completion = {
    job,
    leaseOwner,
    newSkin,
    textureHash,
    owner,
    visibility,
    now,
    identity: data.identity,
  };
  const skin = { uuid: newSkin, owner, identity: data.identity, name: name ?? null, visibility, views: 0 };
  return db
    .with('ended', (tx) => completing(tx, name === undefined ? completion : { ...completion, name }))
    .with('kept', (tx) =>
      tx
        .insertInto('texture_data')
        .columns(Object.keys(data) as (keyof TextureDataRow)[])
        .expression(tx.selectFrom('ended').select((eb) => columnsOf(eb, data)))
        .onConflict((conflict) => conflict.column('identity').doNothing()),
    )
    .with('added', (tx) => {
      const row = { ...skin, created_at: now };
      return tx
        .insertInto('skins')
        .columns(Object.keys(row) as (keyof typeof row)[])
        .expression(
          tx
            .selectFrom('ended')
            .select((eb) => columnsOf(eb, row))
            .where('skin_uuid', '=', newSkin),
        )
        .returning('id');
    })
    .with('worded', (tx) =>
      tx
        .insertInto('skin_words')
        .columns(['word', 'skin_id'])
        .expression(
          tx.selectFrom('added').select([sql<string>`unnest(${words}::text[])`.as('word'), 'id as skin_id']),
        ),
    )
    .selectFrom('ended')
    .select(['skin_uuid', 'callback']);
});

/** Values as the columns of a row. */
function columnsOf<DB, T extends keyof DB>(eb: ExpressionBuilder<DB, T>, row: object) {
  return Object.entries(row).map(([name, value]) => eb.val(value).as(name));
}
