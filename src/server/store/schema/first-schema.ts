import { sql } from 'kysely';
import type { Db, Store, StoreKind } from '../db.ts';
import { sqlIn } from './columns.ts';
import { TABLES } from './tables.ts';

/**
 * Creates all tables but `meta`, with their permanent rows: schema 1. Until 0.1.0 is released, changes are made in
 * `TABLES` and here. Later ones are migrations, and a column that a migration adds is to be left out here.
 */
export async function createFirstSchema(db: Db): Promise<void> {
  const tables = TABLE_NAMES.map((name) => createTable(name, db.store));
  for (const statement of [...tables, ...INDICES, ...RULES[db.store.kind]])
    await sql.raw(statement).execute(db);
  await db.insertInto('queue_clock').values({ id: 1, turn: 0 }).execute();
}

/**
 * PostgreSQL counts an owner's jobs in progress, so that the database itself enforces the owner's burst; SQLite has
 * one writer at a time.
 */
const MORE_OF_CALLERS = {
  sqlite: [],
  postgres: [
    'processing integer default 0 not null',
    'burst integer default 1000 not null',
    'constraint callers_within_burst check (processing between 0 and burst)',
  ],
} as const satisfies Record<StoreKind, readonly string[]>;

export type TableName = keyof typeof TABLES;

/** Each after those to which its rows refer. */
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

/** The primary keys of several columns. */
const PRIMARY_KEYS: Partial<Record<TableName, readonly string[]>> = {
  identities: ['issuer', 'subject'],
  skin_tags: ['tag', 'skin_id'],
  skin_likes: ['skin_id', 'owner'],
  skin_days: ['skin_id', 'day'],
  skin_views: ['skin_id', 'viewer', 'hour'],
  skin_words: ['word', 'skin_id'],
  set_skins: ['set_id', 'skin_id'],
  idempotency_keys: ['owner', 'key'],
};

/** The columns of a table's primary key. */
export function primaryKeyOf(name: TableName): readonly string[] {
  const columns = Object.entries(TABLES[name]).filter(([, { sql: type }]) =>
    /primary key|numbered/.test(type),
  );
  return PRIMARY_KEYS[name] ?? columns.map(([column]) => column);
}

function createTable(name: TableName, { kind, columnTypes }: Store): string {
  const primary = PRIMARY_KEYS[name];
  const parts = [
    ...Object.entries(TABLES[name]).map(([column, of]) => `${column} ${sqlIn(columnTypes, of)}`),
    ...(primary === undefined ? [] : [`constraint ${name}_primary primary key (${primary.join(', ')})`]),
    ...(name === 'callers' ? MORE_OF_CALLERS[kind] : []),
  ];
  return `create table ${name} (\n    ${parts.join(',\n    ')}\n  )`;
}

/**
 * Queries use a partial index only if they state its condition in the same words, as literals (`PENDING`, `WAITING`).
 * SQLite recompiles a statement for each new value of a parameter that it could compare with such a condition, and for
 * each limit. So statuses and visibilities are literals everywhere, and limits where many requests run the statement.
 */
const INDICES = [
  // Users and their sessions.
  'create index api_keys_by_user on api_keys (user_id, created_at)',
  'create index sessions_by_user on sessions (user_id, created_at)',
  'create index sessions_by_key on sessions (key_id)',
  'create index identities_by_user on identities (user_id, created_at, issuer, subject)',
  // The users of a picture.
  'create index texture_data_by_texture on texture_data (texture_hash, identity)',
  'create index texture_data_by_cape on texture_data (cape_hash)',
  'create index capes_by_texture on capes (texture_hash)',
  'create index jobs_by_texture on jobs (texture_hash)',
  'create index jobs_by_cape on jobs (cape_hash) where cape_hash is not null',
  // Pictures that look alike (store/similar-skins.ts).
  'create index textures_by_head on textures (head_band, hash)',
  'create index textures_by_body on textures (body_band, hash)',
  'create index textures_by_light on textures (light_band, hash)',
  // Textures by the address in signed data; statistics (store/stats.ts).
  'create index texture_data_by_url on texture_data (url)',
  'create index texture_data_by_time on texture_data (created_at)',
  'create index skins_by_time on skins (created_at)',
  // A caller's own record of a known picture; others with the data; lists, newest or most viewed first.
  'create index skins_by_owner on skins (owner, identity, visibility)',
  'create index skins_by_identity on skins (identity, visibility, owner, name)',
  "create index skins_public on skins (id) where visibility = 'public'",
  "create index skins_by_views on skins (views, id) where visibility = 'public'",
  'create index skins_of_owner on skins (owner, id)',
  'create index skins_of_owner_by_views on skins (owner, views, id)',
  'create index skins_of_owner_by_name on skins (owner, name, id) where name is not null',
  'create index skin_views_by_hour on skin_views (hour)',
  'create index skin_days_by_views on skin_days (day, views)',
  'create index skin_tags_of_skin on skin_tags (skin_id)',
  'create index skin_likes_of_owner on skin_likes (owner)',
  'create unique index skin_words_of_skin on skin_words (skin_id, word)',
  // A set by its name: among an owner's, and among the public ones. Its skins in order; the sets of a skin.
  'create unique index sets_of_owner on sets (owner, slug)',
  "create unique index sets_public on sets (slug) where visibility = 'public'",
  "create index sets_public_newest on sets (id) where visibility = 'public'",
  'create index set_skins_by_skin on set_skins (skin_id)',
  'create index set_names_of_owner on set_names (owner)',
  'create index set_names_of_set on set_names (set_id)',
  // What a player wears by the UUID in offline mode; the names of a user; those that wear a skin or need a picture.
  'create unique index wardrobe_by_player on wardrobe (player_id)',
  'create index wardrobe_of_owner on wardrobe (owner, name)',
  'create index wardrobe_by_skin on wardrobe (skin_uuid) where skin_uuid is not null',
  'create index wardrobe_by_texture on wardrobe (texture_hash) where texture_hash is not null',
  'create index wardrobe_by_cape on wardrobe (cape_hash) where cape_hash is not null',
  'create index wardrobe_history_of_name on wardrobe_history (name, id)',
  'create index players_by_name on players (name, looked_up_at)',
  'create index players_by_time on players (looked_up_at)',
  // An owner's jobs, and the failed ones, which are few among many; those to prune.
  'create index jobs_by_owner on jobs (owner, id)',
  "create index jobs_failed on jobs (owner, id) where status = 'failed'",
  'create index jobs_finished on jobs (finished_at) where finished_at is not null',
  // One pending job per owner and request, which also counts the owner's slots.
  "create unique index jobs_pending on jobs (owner, request_key) where status in ('waiting', 'processing')",
  // Jobs to claim, in turn order; jobs in progress by owner and skin data.
  "create index jobs_by_turn on jobs (turn, id) where status = 'waiting'",
  "create index jobs_processing on jobs (owner) where status = 'processing'",
  "create index jobs_processing_identity on jobs (identity) where status = 'processing'",
  'create index idempotency_keys_by_job on idempotency_keys (job_id)',
  // A repeated request has one callback. Host and key help to skip due callbacks with busy receivers quickly.
  'create unique index callbacks_once on callbacks (job_id, key_id, url)',
  'create index callbacks_due on callbacks (run_at, host, key_id) where done_at is null',
  'create index callbacks_open_by_key on callbacks (key_id) where done_at is null',
  'create index reports_open on reports (id) where closed_at is null',
  'create index reports_by_subject on reports (subject, reporter)',
  'create index reports_by_reporter on reports (reporter, created_at)',
];

/**
 * Inserting a job stores the idempotency key of its request, and fails if the key is taken. A job that a worker takes
 * moves the queue's clock.
 */
const SQLITE_RULES = [
  `create trigger jobs_keep_key after insert on jobs when new.idempotency_key is not null begin
    insert into idempotency_keys (owner, key, job_id) values (new.owner, new.idempotency_key, new.id);
  end`,
  `create trigger jobs_move_clock after update of status on jobs when new.status = 'processing' begin
    update queue_clock set turn = new.turn where id = 1 and turn < new.turn;
  end`,
];

/**
 * The same, and the count of jobs in progress. The queue's clock is one row: while another node moves it, this one
 * skips it (`skip locked`), so that claims do not wait for each other. An owner's first job then gets a turn slightly
 * too early.
 */
const POSTGRES_RULES = [
  `create function skinsmith_keep_key() returns trigger language plpgsql as $$
  begin
    insert into idempotency_keys (owner, key, job_id) values (new.owner, new.idempotency_key, new.id);
    return null;
  end $$`,
  `create trigger jobs_keep_key after insert on jobs
    for each row when (new.idempotency_key is not null) execute function skinsmith_keep_key()`,
  `create function skinsmith_count_job() returns trigger language plpgsql as $$
  begin
    if new.status = 'processing' then
      update callers set processing = processing + 1 where owner = new.owner;
      update queue_clock set turn = new.turn where id in
        (select id from queue_clock where id = 1 and turn < new.turn for update skip locked);
    elsif old.status = 'processing' then
      update callers set processing = processing - 1 where owner = new.owner;
    end if;
    return null;
  end $$`,
  `create trigger jobs_count after update of status on jobs
    for each row when (old.status <> new.status) execute function skinsmith_count_job()`,
  'alter table textures alter column png set storage external', // pictures are already compressed
];

const RULES = { sqlite: SQLITE_RULES, postgres: POSTGRES_RULES } as const satisfies Record<
  StoreKind,
  readonly string[]
>;
