/**
 * The schema that the migrations of SQLite lead to, as PostgreSQL has it: its tables, columns, indices and conditions are
 * the same (test/server/store/postgres/baseline.test.ts compares them). Texts sort by their bytes, as they do in SQLite.
 * Never change it: later changes are migrations, for both.
 */
export const BASELINE_VERSION = 18;

const TABLES = `
  create table users (
      id text collate "C" primary key,
      name text collate "C" not null unique,
      plan text collate "C" not null,
      role text collate "C" not null,
      created_at bigint not null,
      disabled_at bigint
  );
  create table api_keys (
      id text collate "C" primary key,
      user_id text collate "C" not null references users (id),
      name text collate "C" not null,
      hash text collate "C" not null unique,
      last4 text collate "C" not null,
      created_at bigint not null,
      last_used_at bigint,
      revoked_at bigint,
      allowed_ips text collate "C" default '[]' not null,
      allowed_origins text collate "C" default '[]' not null,
      allowed_agents text collate "C" default '[]' not null,
      v2_compat integer default 0 not null,
      scopes text collate "C" default '["read","generate","skins"]' not null
  );
  create table textures (
      hash text collate "C" primary key,
      width integer not null,
      height integer not null,
      png bytea not null,
      created_at bigint not null
  );
  create table texture_data (
      identity text collate "C" primary key,
      texture_hash text collate "C" not null references textures (hash),
      variant text collate "C" not null,
      value text collate "C" not null,
      signature text collate "C" not null,
      url text collate "C" not null,
      generator_version text collate "C" not null,
      account text collate "C" not null,
      server text collate "C" not null,
      worker text collate "C" not null,
      created_at bigint not null,
      duration integer not null,
      cape_hash text collate "C",
      cape_url text collate "C"
  );
  create table skins (
      id bigint generated always as identity primary key,
      uuid text collate "C" not null unique,
      owner text collate "C" not null,
      identity text collate "C" not null references texture_data (identity),
      name text collate "C",
      visibility text collate "C" not null,
      views integer not null,
      created_at bigint not null
  );
  create table jobs (
      id bigint generated always as identity primary key,
      uuid text collate "C" not null unique,
      owner text collate "C" not null,
      status text collate "C" not null,
      request_key text collate "C" not null,
      identity text collate "C" not null,
      texture_hash text collate "C" not null references textures (hash),
      variant text collate "C" not null,
      visibility text collate "C" not null,
      name text collate "C",
      skin_uuid text collate "C",
      error_code text collate "C",
      error_message text collate "C",
      attempts integer not null,
      run_at bigint not null,
      lease_owner text collate "C",
      lease_until bigint,
      created_at bigint not null,
      finished_at bigint,
      via text collate "C" default 'queue' not null,
      turn double precision default 0 not null,
      concurrency integer default 1000 not null,
      cape_hash text collate "C",
      burst integer default 0 not null,
      started_at bigint,
      idempotency_key text collate "C"
  );
  create table idempotency_keys (
      owner text collate "C" not null,
      key text collate "C" not null,
      job_id bigint not null references jobs (id) on delete cascade,
      constraint idempotency_keys_primary primary key (owner, key)
  );
  create table callers (
      owner text collate "C" primary key,
      turn double precision not null,
      spent_at bigint not null,
      generated_at bigint not null,
      minute text collate "C" not null,
      hour text collate "C" not null,
      processing integer not null default 0,
      burst integer not null default 1000,
      constraint callers_within_burst check (processing between 0 and burst)
  );
  create table queue_clock (
      id integer primary key,
      turn double precision not null
  );
  create table skin_views (
      skin_id bigint not null references skins (id) on delete cascade,
      viewer text collate "C" not null,
      hour bigint not null,
      constraint skin_views_primary primary key (skin_id, viewer, hour)
  );
  create table skin_words (
      word text collate "C" not null,
      skin_id bigint not null references skins (id) on delete cascade,
      constraint skin_words_primary primary key (word, skin_id)
  );
  create table capes (
      uuid text collate "C" primary key,
      alias text collate "C" not null unique,
      texture_hash text collate "C" not null references textures (hash),
      support text collate "C" not null,
      created_at bigint not null
  );
  create table callbacks (
      id bigint generated always as identity primary key,
      uuid text collate "C" not null unique,
      job_id bigint not null references jobs (id) on delete cascade,
      key_id text collate "C" not null,
      url text collate "C" not null,
      host text collate "C" not null,
      attempts integer not null,
      run_at bigint,
      lease_owner text collate "C",
      created_at bigint not null,
      done_at bigint
  );
  create table players (
      id text collate "C" primary key,
      name text collate "C" not null,
      identity text collate "C" not null,
      looked_up_at bigint not null
  );
  create table game_accounts (
      uuid text collate "C" primary key,
      name text collate "C" not null,
      state text collate "C" not null,
      secret text collate "C" not null,
      original_url text collate "C",
      original_variant text collate "C",
      restores integer not null,
      shows_cape integer not null,
      altered integer not null,
      cape_checked_at bigint not null,
      last_used_at bigint not null,
      cool_until bigint not null,
      error_streak integer not null,
      last_error_code text collate "C",
      last_error_message text collate "C",
      last_error_at bigint,
      generated integer not null,
      failed integer not null,
      linked_at bigint not null,
      lease_owner text collate "C",
      lease_until bigint,
      owner text collate "C" default '' not null,
      shared integer default 0 not null
  );
  create table upstream_jobs (
      identity text collate "C" primary key,
      job_id text collate "C",
      idempotency_key text collate "C" not null,
      mark bigint not null,
      submitted_at bigint not null,
      sender text collate "C",
      sending_until bigint default 0 not null,
      settles_at bigint
  );
`;

const INDICES = `
  create index callbacks_due on callbacks (run_at, host, key_id) where done_at is null;
  create unique index callbacks_once on callbacks (job_id, key_id, url);
  create index callbacks_open_by_key on callbacks (key_id) where done_at is null;
  create index capes_by_texture on capes (texture_hash);
  create index idempotency_keys_by_job on idempotency_keys (job_id);
  create index jobs_by_cape on jobs (cape_hash) where cape_hash is not null;
  create index jobs_by_owner on jobs (owner, id);
  create index jobs_by_texture on jobs (texture_hash);
  create index jobs_by_turn on jobs (turn, id) where status = 'waiting';
  create index jobs_failed on jobs (owner, id) where status = 'failed';
  create index jobs_finished on jobs (finished_at) where finished_at is not null;
  create unique index jobs_pending on jobs (owner, request_key) where status in ('waiting', 'processing');
  create index jobs_processing on jobs (owner) where status = 'processing';
  create index jobs_processing_identity on jobs (identity) where status = 'processing';
  create index players_by_name on players (name, looked_up_at);
  create index players_by_time on players (looked_up_at);
  create index skin_views_by_hour on skin_views (hour);
  create unique index skin_words_of_skin on skin_words (skin_id, word);
  create index skins_by_identity on skins (identity, visibility, owner, name);
  create index skins_by_owner on skins (owner, identity, visibility);
  create index skins_by_time on skins (created_at);
  create index skins_by_views on skins (views, id) where visibility = 'public';
  create index skins_of_owner on skins (owner, id);
  create index skins_of_owner_by_views on skins (owner, views, id);
  create index skins_public on skins (id) where visibility = 'public';
  create index texture_data_by_cape on texture_data (cape_hash);
  create index texture_data_by_texture on texture_data (texture_hash);
  create index texture_data_by_time on texture_data (created_at);
  create index texture_data_by_url on texture_data (url);
`;

/** As in SQLite: an insertion stores the idempotency key, and a job that is taken moves the queue's clock. */
const RULES = `
  create function skinsmith_keep_key() returns trigger language plpgsql as $$
  begin
    insert into idempotency_keys (owner, key, job_id) values (new.owner, new.idempotency_key, new.id);
    return null;
  end $$;
  create trigger jobs_keep_key after insert on jobs
    for each row when (new.idempotency_key is not null) execute function skinsmith_keep_key();
  create function skinsmith_count_job() returns trigger language plpgsql as $$
  begin
    if new.status = 'processing' then
      update callers set processing = processing + 1 where owner = new.owner;
      update queue_clock set turn = new.turn where id = 1 and turn < new.turn;
    elsif old.status = 'processing' then
      update callers set processing = processing - 1 where owner = new.owner;
    end if;
    return null;
  end $$;
  create trigger jobs_count after update of status on jobs
    for each row when (old.status <> new.status) execute function skinsmith_count_job();
  insert into queue_clock (id, turn) values (1, 0);
`;

/** Pictures are compressed already. */
const STORAGE = 'alter table textures alter column png set storage external;';

/** All of it, for a database without tables of a store. */
export const BASELINE = TABLES + INDICES + RULES + STORAGE;
