import { sql } from 'kysely';
import type { Db } from '../store/db.ts';
import { prepare } from '../store/prepared.ts';
import { FINISHED } from '../store/schema/job-conditions.ts';
import type { JobRow } from '../store/schema/job-tables.ts';
import { DATA, RECORD, type SkinWithData } from '../store/skins.ts';
import type { JobWithSkin } from './port.ts';

/** Before the names of a skin's columns, some of which jobs have too. */
const OF_SKIN = 'its_';

/** Jobs, each with its skin if there is one. */
function jobsWithSkins(db: Db) {
  return db
    .selectFrom('jobs')
    .leftJoin('skins', 'skins.uuid', 'jobs.skin_uuid')
    .leftJoin('texture_data', 'texture_data.identity', 'skins.identity')
    .selectAll('jobs')
    .select([...RECORD, ...DATA].map(withPrefix));
}

/** `skins.id as its_id` of `skins.id`. */
function withPrefix(column: string) {
  const [source = '', name = source.slice(source.indexOf('.') + 1)] = column.split(' as ');
  return sql.ref(source).as(`${OF_SKIN}${name}`);
}

const FIND = prepare((db, { uuid }: Pick<JobRow, 'uuid'>) => jobsWithSkins(db).where('jobs.uuid', '=', uuid));

export async function findWithSkin(db: Db, uuid: string): Promise<JobWithSkin | undefined> {
  const row = await FIND.first(db, { uuid });
  return row && split(row);
}

/** The finished ones of these jobs, in the order of their ends. */
export async function readEnds(db: Db, uuids: readonly string[]): Promise<JobWithSkin[]> {
  const rows =
    uuids.length === 1
      ? await FIND.all(db, { uuid: uuids[0] ?? '' })
      : await jobsWithSkins(db).where('jobs.uuid', 'in', uuids).where(FINISHED).execute();
  return rows
    .map(split)
    .filter(({ job }) => job.finished_at !== null)
    .toSorted((a, b) => (a.job.finished_at ?? 0) - (b.job.finished_at ?? 0) || a.job.id - b.job.id);
}

function split(row: Readonly<Record<string, unknown>>): JobWithSkin {
  const job: Record<string, unknown> = {};
  const skin: Record<string, unknown> = {};
  for (const name in row) {
    const value = row[name];
    if (name.startsWith(OF_SKIN)) skin[name.slice(OF_SKIN.length)] = value;
    else job[name] = value;
  }
  const isThere = skin['id'] !== null;
  return withItsSkin(job as unknown as JobRow, isThere ? (skin as unknown as SkinWithData) : undefined);
}

/** Callers without a key get records of each other, which an operator can hide. */
export function withItsSkin(job: JobRow, skin: SkinWithData | undefined): JobWithSkin {
  const isShown = skin?.visibility !== 'private' || skin.owner === job.owner;
  return { job, skin: isShown ? skin : undefined };
}
