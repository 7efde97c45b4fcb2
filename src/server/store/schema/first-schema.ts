import { sql } from 'kysely';
import type { ColumnTypes, Db, StoreKind } from '../db.ts';

/**
 * Creates all tables but `meta`, with their permanent rows: schema 1. Until 0.1.0 is released, changes are made here;
 * later changes are migrations.
 */
export async function createFirstSchema(db: Db): Promise<void> {
  const { kind, columnTypes } = db.store;
  const tables = makeTables(columnTypes, MORE_OF_CALLERS[kind]);
  for (const statement of [...tables, ...INDICES, ...RULES[kind]]) await sql.raw(statement).execute(db);
  await db.insertInto('queue_clock').values({ id: 1, turn: 0 }).execute();
}

/**
 * PostgreSQL counts an owner's jobs in progress, so that the database itself enforces the owner's burst; SQLite has
 * one writer at a time.
 */
const MORE_OF_CALLERS = {
  sqlite: '',
  postgres: `,
    processing integer default 0 not null,
    burst integer default 1000 not null,
    constraint callers_within_burst check (processing between 0 and burst)`,
} as const satisfies Record<StoreKind, string>;

const makeTables = ({ text, bytes, real, rowNumber, numbered }: ColumnTypes, moreOfCallers: string) => [
  `create table users (
    id ${text} primary key,
    name ${text} not null unique,
    plan ${text} not null,
    role ${text} not null,
    created_at bigint not null,
    disabled_at bigint,
    shows_name integer default 0 not null
  )`,
  `create table api_keys (
    id ${text} primary key,
    user_id ${text} not null references users (id),
    name ${text} not null,
    hash ${text} not null unique,
    last4 ${text} not null,
    created_at bigint not null,
    last_used_at bigint,
    revoked_at bigint,
    allowed_ips ${text} default '[]' not null,
    allowed_origins ${text} default '[]' not null,
    allowed_agents ${text} default '[]' not null,
    v2_compat integer default 0 not null,
    scopes ${text} default '["read","generate","skins"]' not null,
    generations bigint default 0 not null
  )`,
  `create table sessions (
    id ${text} primary key,
    hash ${text} not null unique,
    user_id ${text} not null,
    key_id ${text},
    agent ${text} not null,
    created_at bigint not null,
    used_at bigint not null,
    expires_at bigint not null
  )`,
  `create table sign_in_links (
    hash ${text} primary key,
    user_id ${text} not null,
    key_id ${text},
    expires_at bigint not null
  )`,
  `create table identities (
    issuer ${text} not null,
    subject ${text} not null,
    user_id ${text} not null,
    created_at bigint not null,
    constraint identities_primary primary key (issuer, subject)
  )`,
  `create table first_sign_ins (
    hash ${text} primary key,
    issuer ${text} not null,
    subject ${text} not null,
    name ${text} not null,
    rights ${text} not null,
    expires_at bigint not null
  )`,
  `create table textures (
    hash ${text} primary key,
    width integer not null,
    height integer not null,
    fingerprint ${bytes},
    head_band ${text},
    body_band ${text},
    light_band ${text},
    png ${bytes} not null,
    created_at bigint not null
  )`,
  `create table texture_data (
    identity ${text} primary key,
    texture_hash ${text} not null references textures (hash),
    variant ${text} not null,
    value ${text} not null,
    signature ${text} not null,
    url ${text} not null,
    generator_version ${text} not null,
    account ${text} not null,
    server ${text} not null,
    worker ${text} not null,
    created_at bigint not null,
    duration integer not null,
    cape_hash ${text},
    cape_url ${text}
  )`,
  `create table skins (
    id ${rowNumber} ${numbered},
    uuid ${text} not null unique,
    owner ${text} not null,
    identity ${text} not null references texture_data (identity),
    name ${text},
    visibility ${text} not null,
    views integer not null,
    created_at bigint not null,
    hidden_from ${text},
    likes integer default 0 not null
  )`,
  `create table skin_tags (
    tag ${text} not null,
    skin_id ${rowNumber} not null references skins (id) on delete cascade,
    constraint skin_tags_primary primary key (tag, skin_id)
  )`,
  `create table skin_likes (
    skin_id ${rowNumber} not null references skins (id) on delete cascade,
    owner ${text} not null,
    constraint skin_likes_primary primary key (skin_id, owner)
  )`,
  `create table skin_days (
    skin_id ${rowNumber} not null references skins (id) on delete cascade,
    day bigint not null,
    views integer not null,
    constraint skin_days_primary primary key (skin_id, day)
  )`,
  `create table skin_views (
    skin_id ${rowNumber} not null references skins (id) on delete cascade,
    viewer ${text} not null,
    hour bigint not null,
    constraint skin_views_primary primary key (skin_id, viewer, hour)
  )`,
  `create table skin_words (
    word ${text} not null,
    skin_id ${rowNumber} not null references skins (id) on delete cascade,
    constraint skin_words_primary primary key (word, skin_id)
  )`,
  `create table sets (
    id ${rowNumber} ${numbered},
    uuid ${text} not null unique,
    owner ${text} not null,
    name ${text} not null,
    slug ${text} not null,
    namespace ${text} not null,
    visibility ${text} not null,
    created_at bigint not null,
    changed_at bigint not null,
    hidden_from ${text}
  )`,
  `create table set_names (
    slug ${text} primary key,
    owner ${text},
    set_id ${rowNumber} references sets (id) on delete set null
  )`,
  `create table set_skins (
    set_id ${rowNumber} not null references sets (id) on delete cascade,
    skin_id ${rowNumber} not null references skins (id) on delete cascade,
    position integer not null,
    pack_id ${text},
    constraint set_skins_primary primary key (set_id, skin_id)
  )`,
  `create table capes (
    uuid ${text} primary key,
    alias ${text} not null unique,
    texture_hash ${text} not null references textures (hash),
    support ${text} not null,
    created_at bigint not null
  )`,
  `create table wardrobe (
    name ${text} primary key,
    spelling ${text} not null,
    player_id ${text} not null,
    owner ${text} not null,
    skin_uuid ${text},
    texture_hash ${text} references textures (hash),
    variant ${text},
    cape_hash ${text},
    value ${text},
    signature ${text},
    changed_at bigint not null
  )`,
  `create table wardrobe_history (
    id ${rowNumber} ${numbered},
    name ${text} not null references wardrobe (name) on delete cascade,
    at bigint not null,
    changed_by ${text} not null,
    skin_uuid ${text},
    texture_hash ${text},
    cape_hash ${text}
  )`,
  `create table players (
    id ${text} primary key,
    name ${text} not null,
    identity ${text} not null,
    looked_up_at bigint not null
  )`,
  `create table jobs (
    id ${rowNumber} ${numbered},
    uuid ${text} not null unique,
    owner ${text} not null,
    status ${text} not null,
    request_key ${text} not null,
    identity ${text} not null,
    texture_hash ${text} not null references textures (hash),
    variant ${text} not null,
    visibility ${text} not null,
    name ${text},
    skin_uuid ${text},
    error_code ${text},
    error_message ${text},
    attempts integer not null,
    run_at bigint not null,
    lease_owner ${text},
    lease_until bigint,
    created_at bigint not null,
    finished_at bigint,
    via ${text} default 'queue' not null,
    turn ${real} default 0 not null,
    concurrency integer default 1000 not null,
    cape_hash ${text},
    burst integer default 0 not null,
    started_at bigint,
    idempotency_key ${text},
    source ${text}
  )`,
  `create table idempotency_keys (
    owner ${text} not null,
    key ${text} not null,
    job_id ${rowNumber} not null references jobs (id) on delete cascade,
    constraint idempotency_keys_primary primary key (owner, key)
  )`,
  `create table callbacks (
    id ${rowNumber} ${numbered},
    uuid ${text} not null unique,
    job_id ${rowNumber} not null references jobs (id) on delete cascade,
    key_id ${text} not null,
    url ${text} not null,
    host ${text} not null,
    attempts integer not null,
    run_at bigint,
    lease_owner ${text},
    created_at bigint not null,
    done_at bigint
  )`,
  `create table callers (
    owner ${text} primary key,
    turn ${real} not null,
    spent_at bigint not null,
    generated_at bigint not null,
    minute ${text} not null,
    hour ${text} not null${moreOfCallers}
  )`,
  `create table queue_clock (
    id integer primary key,
    turn ${real} not null
  )`,
  `create table upstream_jobs (
    identity ${text} primary key,
    job_id ${text},
    idempotency_key ${text} not null,
    mark bigint not null,
    submitted_at bigint not null,
    sender ${text},
    sending_until bigint default 0 not null,
    settles_at bigint
  )`,
  `create table game_accounts (
    uuid ${text} primary key,
    name ${text} not null,
    state ${text} not null,
    secret ${text} not null,
    original_url ${text},
    original_variant ${text},
    restores integer not null,
    shows_cape integer not null,
    altered integer not null,
    cape_checked_at bigint not null,
    last_used_at bigint not null,
    cool_until bigint not null,
    error_streak integer not null,
    last_error_code ${text},
    last_error_message ${text},
    last_error_at bigint,
    generated integer not null,
    failed integer not null,
    linked_at bigint not null,
    lease_owner ${text},
    lease_until bigint,
    owner ${text} default '' not null,
    shared integer default 0 not null
  )`,
  `create table reports (
    id ${rowNumber} ${numbered},
    kind ${text} not null,
    subject ${text} not null,
    reporter ${text} not null,
    reason ${text} not null,
    text ${text} not null,
    created_at bigint not null,
    closed_at bigint
  )`,
  `create table blocked_images (
    hash ${text} primary key,
    note ${text} not null,
    blocked_by ${text} not null,
    blocked_at bigint not null
  )`,
  `create table operator_log (
    id ${rowNumber} ${numbered},
    at bigint not null,
    operator ${text} not null,
    action ${text} not null,
    subject ${text} not null,
    note ${text} not null
  )`,
  `create table nodes (
    id ${text} primary key,
    version ${text} not null,
    started_at bigint not null,
    seen_at bigint not null
  )`,
  `create table chores (
    name ${text} primary key,
    due_at bigint not null,
    lease_owner ${text},
    lease_until bigint
  )`,
];

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
