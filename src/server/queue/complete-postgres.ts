import { type CompiledQuery, sql } from 'kysely';
import { newUuid } from '../../base/uuid.ts';
import type { Db } from '../store/db.ts';
import { knownOwnerLock, lockFreeOwners } from '../store/locks.ts';
import { COMMIT, runPipeline } from '../store/pipeline.ts';
import { prepareSql } from '../store/prepared.ts';
import type { TextureDataRow } from '../store/schema/skin-tables.ts';
import { endsIn } from '../store/skin-words.ts';
import { type Completion, textureDataOf } from './complete.ts';

/** What became of some completions. */
export interface Ends {
  /** Whether the job is completed: false if the lease is lost, or an operator has blocked the image. */
  readonly isDone: ReadonlyMap<Completion, boolean>;
  /** Nothing was decided about them: another transaction has locked their owners. */
  readonly left: readonly Completion[];
}

/**
 * Stores signed data and skin records and completes the jobs, on PostgreSQL, with one statement for all of them because
 * each goes to another process and back. No two may be of the same owner and identity. Ends the transaction, so that the
 * owner is locked for a moment only.
 *
 * Waits for the owner if it is the same for all. It waits for none of several, because it would keep those that it has
 * locked from everybody else meanwhile.
 */
export async function completeTogether(tx: Db, completions: readonly Completion[]): Promise<Ends> {
  const owners = [...new Set(completions.map(({ lease }) => lease.job.owner))];
  const [owner] = owners;
  if (owner !== undefined && owners.length === 1) {
    const lock = knownOwnerLock(tx, owner).compile();
    const [, rows] = await runPipeline(tx, [lock, completing(tx, completions), COMMIT]);
    return endsOf(completions, rows);
  }
  const locked = await lockFreeOwners(tx, owners);
  const decided = completions.filter(({ lease }) => locked.has(lease.job.owner));
  if (decided.length === 0) return { isDone: new Map(), left: completions };
  const [rows] = await runPipeline(tx, [completing(tx, decided), COMMIT]);
  return { ...endsOf(decided, rows), left: completions.filter((one) => !decided.includes(one)) };
}

function completing(tx: Db, completions: readonly Completion[]): CompiledQuery<EndedRow> {
  return COMPLETE.compile(tx, { completions: JSON.stringify(completions.map(rowOf)) });
}

function endsOf(completions: readonly Completion[], rows: readonly EndedRow[]): Ends {
  const ended = new Set(rows.map(({ job }) => job));
  return { isDone: new Map(completions.map((one) => [one, ended.has(one.lease.job.uuid)])), left: [] };
}

function rowOf(completion: Completion): Row {
  const { job, owner: lease_owner } = completion.lease;
  const { owner, visibility, name } = job;
  const skin = { new_skin: newUuid(), owner, visibility, name, words: endsIn(name ?? '') };
  return { job: job.uuid, lease_owner, ...skin, ...textureDataOf(completion) };
}

interface Row extends TextureDataRow {
  readonly job: string;
  readonly lease_owner: string;
  readonly new_skin: string;
  readonly owner: string;
  readonly visibility: string;
  /** Without one, a record with any name suits. */
  readonly name: string | null;
  readonly words: readonly string[];
}

const DATA = {
  identity: 'text',
  texture_hash: 'text',
  variant: 'text',
  value: 'text',
  signature: 'text',
  url: 'text',
  generator_version: 'text',
  account: 'text',
  server: 'text',
  worker: 'text',
  created_at: 'bigint',
  duration: 'bigint',
  cape_hash: 'text',
  cape_url: 'text',
} as const satisfies Record<keyof TextureDataRow, string>;

const COLUMNS = {
  job: 'text',
  lease_owner: 'text',
  new_skin: 'text',
  owner: 'text',
  visibility: 'text',
  name: 'text',
  words: 'text[]',
  ...DATA,
} as const satisfies Record<keyof Row, string>;

const TYPED_COLUMNS = sql.raw(
  Object.entries(COLUMNS)
    .map(([name, type]) => `${name} ${type}`)
    .join(', '),
);
const DATA_COLUMNS = sql.raw(Object.keys(DATA).join(', '));

interface EndedRow {
  readonly job: string;
}

/**
 * Returns no row for a job whose lease is lost or whose image is blocked. All transactions insert data in the same order:
 * one waits for another that inserts the same data, and two must not wait for each other.
 */
const COMPLETE = prepareSql<{ completions: string }, EndedRow>(
  ({ completions }) => sql`
    with done as materialized (select * from json_to_recordset(${completions}::json) as done (${TYPED_COLUMNS})),
      ended as (update jobs set status = 'completed', finished_at = done.created_at,
          lease_owner = null, lease_until = null, error_code = null, error_message = null,
          skin_uuid = coalesce((select skins.uuid from skins
            where skins.owner = done.owner and skins.identity = done.identity and skins.visibility = done.visibility
              and (done.name is null or skins.name = done.name)
            order by skins.id limit 1), done.new_skin)
        from done
        where jobs.uuid = done.job and jobs.status = 'processing' and jobs.lease_owner = done.lease_owner
          and not exists (select 1 from blocked_images where blocked_images.hash = done.texture_hash)
        returning jobs.id, jobs.uuid as job, jobs.skin_uuid, jobs.finished_at),
      told as (update callbacks set run_at = ended.finished_at from ended where callbacks.job_id = ended.id),
      recorded as (select done.*, ended.skin_uuid from done join ended using (job)),
      kept as (insert into texture_data (${DATA_COLUMNS}) select ${DATA_COLUMNS} from recorded order by identity
        on conflict (identity) do nothing),
      added as (insert into skins (uuid, owner, identity, name, visibility, views, created_at)
        select new_skin, owner, identity, name, visibility, 0, created_at from recorded where skin_uuid = new_skin
        returning id, uuid),
      worded as (insert into skin_words (word, skin_id)
        select word, added.id from added join recorded on new_skin = added.uuid, unnest(words) as word)
    select job from ended`,
);
