begin;
create table if not exists meta (key text collate "C" primary key, value text collate "C" not null);
create table users (
    id text collate "C" primary key,
    name text collate "C" not null unique,
    plan text collate "C" not null,
    role text collate "C" not null,
    created_at bigint not null,
    disabled_at bigint,
    shows_name integer default 0 not null
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
    scopes text collate "C" default '["read","generate","skins"]' not null,
    generations bigint default 0 not null
  );
create table sessions (
    id text collate "C" primary key,
    hash text collate "C" not null unique,
    user_id text collate "C" not null,
    key_id text collate "C",
    agent text collate "C" not null,
    created_at bigint not null,
    used_at bigint not null,
    expires_at bigint not null
  );
create table sign_in_links (
    hash text collate "C" primary key,
    user_id text collate "C" not null,
    key_id text collate "C",
    expires_at bigint not null
  );
create table identities (
    issuer text collate "C" not null,
    subject text collate "C" not null,
    user_id text collate "C" not null,
    created_at bigint not null,
    constraint identities_primary primary key (issuer, subject)
  );
create table first_sign_ins (
    hash text collate "C" primary key,
    issuer text collate "C" not null,
    subject text collate "C" not null,
    name text collate "C" not null,
    rights text collate "C" not null,
    expires_at bigint not null
  );
create table textures (
    hash text collate "C" primary key,
    width integer not null,
    height integer not null,
    fingerprint bytea,
    head_band text collate "C",
    body_band text collate "C",
    light_band text collate "C",
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
    created_at bigint not null,
    hidden_from text collate "C",
    likes integer default 0 not null
  );
create table skin_tags (
    tag text collate "C" not null,
    skin_id bigint not null references skins (id) on delete cascade,
    constraint skin_tags_primary primary key (tag, skin_id)
  );
create table skin_likes (
    skin_id bigint not null references skins (id) on delete cascade,
    owner text collate "C" not null,
    constraint skin_likes_primary primary key (skin_id, owner)
  );
create table skin_days (
    skin_id bigint not null references skins (id) on delete cascade,
    day bigint not null,
    views integer not null,
    constraint skin_days_primary primary key (skin_id, day)
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
create table sets (
    id bigint generated always as identity primary key,
    uuid text collate "C" not null unique,
    owner text collate "C" not null,
    name text collate "C" not null,
    slug text collate "C" not null,
    namespace text collate "C" not null,
    visibility text collate "C" not null,
    created_at bigint not null,
    changed_at bigint not null,
    hidden_from text collate "C"
  );
create table set_names (
    slug text collate "C" primary key,
    owner text collate "C",
    set_id bigint references sets (id) on delete set null
  );
create table set_skins (
    set_id bigint not null references sets (id) on delete cascade,
    skin_id bigint not null references skins (id) on delete cascade,
    position integer not null,
    pack_id text collate "C",
    constraint set_skins_primary primary key (set_id, skin_id)
  );
create table capes (
    uuid text collate "C" primary key,
    alias text collate "C" not null unique,
    texture_hash text collate "C" not null references textures (hash),
    support text collate "C" not null,
    created_at bigint not null
  );
create table wardrobe (
    name text collate "C" primary key,
    spelling text collate "C" not null,
    player_id text collate "C" not null,
    owner text collate "C" not null,
    skin_uuid text collate "C",
    texture_hash text collate "C" references textures (hash),
    variant text collate "C",
    cape_hash text collate "C",
    value text collate "C",
    signature text collate "C",
    changed_at bigint not null
  );
create table wardrobe_history (
    id bigint generated always as identity primary key,
    name text collate "C" not null references wardrobe (name) on delete cascade,
    at bigint not null,
    changed_by text collate "C" not null,
    skin_uuid text collate "C",
    texture_hash text collate "C",
    cape_hash text collate "C"
  );
create table players (
    id text collate "C" primary key,
    name text collate "C" not null,
    identity text collate "C" not null,
    looked_up_at bigint not null
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
    idempotency_key text collate "C",
    source text collate "C"
  );
create table idempotency_keys (
    owner text collate "C" not null,
    key text collate "C" not null,
    job_id bigint not null references jobs (id) on delete cascade,
    constraint idempotency_keys_primary primary key (owner, key)
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
create table callers (
    owner text collate "C" primary key,
    turn double precision not null,
    spent_at bigint not null,
    generated_at bigint not null,
    minute text collate "C" not null,
    hour text collate "C" not null,
    processing integer default 0 not null,
    burst integer default 1000 not null,
    constraint callers_within_burst check (processing between 0 and burst)
  );
create table queue_clock (
    id integer primary key,
    turn double precision not null
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
create table reports (
    id bigint generated always as identity primary key,
    kind text collate "C" not null,
    subject text collate "C" not null,
    reporter text collate "C" not null,
    reason text collate "C" not null,
    text text collate "C" not null,
    created_at bigint not null,
    closed_at bigint
  );
create table blocked_images (
    hash text collate "C" primary key,
    note text collate "C" not null,
    blocked_by text collate "C" not null,
    blocked_at bigint not null
  );
create table operator_log (
    id bigint generated always as identity primary key,
    at bigint not null,
    operator text collate "C" not null,
    action text collate "C" not null,
    subject text collate "C" not null,
    note text collate "C" not null
  );
create table nodes (
    id text collate "C" primary key,
    version text collate "C" not null,
    started_at bigint not null,
    seen_at bigint not null
  );
create table chores (
    name text collate "C" primary key,
    due_at bigint not null,
    lease_owner text collate "C",
    lease_until bigint
  );
create index api_keys_by_user on api_keys (user_id, created_at);
create index sessions_by_user on sessions (user_id, created_at);
create index sessions_by_key on sessions (key_id);
create index identities_by_user on identities (user_id, created_at, issuer, subject);
create index texture_data_by_texture on texture_data (texture_hash, identity);
create index texture_data_by_cape on texture_data (cape_hash);
create index capes_by_texture on capes (texture_hash);
create index jobs_by_texture on jobs (texture_hash);
create index jobs_by_cape on jobs (cape_hash) where cape_hash is not null;
create index textures_by_head on textures (head_band, hash);
create index textures_by_body on textures (body_band, hash);
create index textures_by_light on textures (light_band, hash);
create index texture_data_by_url on texture_data (url);
create index texture_data_by_time on texture_data (created_at);
create index skins_by_time on skins (created_at);
create index skins_by_owner on skins (owner, identity, visibility);
create index skins_by_identity on skins (identity, visibility, owner, name);
create index skins_public on skins (id) where visibility = 'public';
create index skins_by_views on skins (views, id) where visibility = 'public';
create index skins_of_owner on skins (owner, id);
create index skins_of_owner_by_views on skins (owner, views, id);
create index skins_of_owner_by_name on skins (owner, name, id) where name is not null;
create index skin_views_by_hour on skin_views (hour);
create index skin_days_by_views on skin_days (day, views);
create index skin_tags_of_skin on skin_tags (skin_id);
create index skin_likes_of_owner on skin_likes (owner);
create unique index skin_words_of_skin on skin_words (skin_id, word);
create unique index sets_of_owner on sets (owner, slug);
create unique index sets_public on sets (slug) where visibility = 'public';
create index sets_public_newest on sets (id) where visibility = 'public';
create index set_skins_by_skin on set_skins (skin_id);
create index set_names_of_owner on set_names (owner);
create index set_names_of_set on set_names (set_id);
create unique index wardrobe_by_player on wardrobe (player_id);
create index wardrobe_of_owner on wardrobe (owner, name);
create index wardrobe_by_skin on wardrobe (skin_uuid) where skin_uuid is not null;
create index wardrobe_by_texture on wardrobe (texture_hash) where texture_hash is not null;
create index wardrobe_by_cape on wardrobe (cape_hash) where cape_hash is not null;
create index wardrobe_history_of_name on wardrobe_history (name, id);
create index players_by_name on players (name, looked_up_at);
create index players_by_time on players (looked_up_at);
create index jobs_by_owner on jobs (owner, id);
create index jobs_failed on jobs (owner, id) where status = 'failed';
create index jobs_finished on jobs (finished_at) where finished_at is not null;
create unique index jobs_pending on jobs (owner, request_key) where status in ('waiting', 'processing');
create index jobs_by_turn on jobs (turn, id) where status = 'waiting';
create index jobs_processing on jobs (owner) where status = 'processing';
create index jobs_processing_identity on jobs (identity) where status = 'processing';
create index idempotency_keys_by_job on idempotency_keys (job_id);
create unique index callbacks_once on callbacks (job_id, key_id, url);
create index callbacks_due on callbacks (run_at, host, key_id) where done_at is null;
create index callbacks_open_by_key on callbacks (key_id) where done_at is null;
create index reports_open on reports (id) where closed_at is null;
create index reports_by_subject on reports (subject, reporter);
create index reports_by_reporter on reports (reporter, created_at);
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
      update queue_clock set turn = new.turn where id in
        (select id from queue_clock where id = 1 and turn < new.turn for update skip locked);
    elsif old.status = 'processing' then
      update callers set processing = processing - 1 where owner = new.owner;
    end if;
    return null;
  end $$;
create trigger jobs_count after update of status on jobs
    for each row when (old.status <> new.status) execute function skinsmith_count_job();
alter table textures alter column png set storage external;
set local session_replication_role = replica;
insert into "meta" ("key", "value") overriding system value values ('account-key', '5bfefad2efe6584e');
insert into "meta" ("key", "value") overriding system value values ('last-look', '1759320000000');
insert into "meta" ("key", "value") overriding system value values ('local-url', 'http://127.0.0.1:1');
insert into "meta" ("key", "value") overriding system value values ('oldest-reader', '1');
insert into "meta" ("key", "value") overriding system value values ('public-url', 'https://skins.example.org');
insert into "meta" ("key", "value") overriding system value values ('revocations', '2');
insert into "meta" ("key", "value") overriding system value values ('schema', '1');
insert into "meta" ("key", "value") overriding system value values ('signing-key', '52bdcdfc665f652a');
insert into "users" ("id", "name", "plan", "role", "created_at", "disabled_at", "shows_name") overriding system value values ('3178d5c42848235aff57660f417325ee', 'dora', 'upgrading', 'user', 1759320000000, null, 1);
insert into "users" ("id", "name", "plan", "role", "created_at", "disabled_at", "shows_name") overriding system value values ('6e1b0e56f1a37053b4afeb9e144d8364', 'emil', 'free', 'user', 1759320000000, null, 0);
insert into "users" ("id", "name", "plan", "role", "created_at", "disabled_at", "shows_name") overriding system value values ('a3dd0ac05b9434fbb09dfc3ec3bd81d8', 'fay', 'free', 'user', 1759320000000, 1759320060000, 0);
insert into "users" ("id", "name", "plan", "role", "created_at", "disabled_at", "shows_name") overriding system value values ('ab613894f5ca97d0aaa8a064aa4a47f4', 'owner', 'owner', 'operator', 1759320000000, null, 0);
insert into "api_keys" ("id", "user_id", "name", "hash", "last4", "created_at", "last_used_at", "revoked_at", "allowed_ips", "allowed_origins", "allowed_agents", "v2_compat", "scopes", "generations") overriding system value values ('3a8afe3c61d4a64778874458', '3178d5c42848235aff57660f417325ee', 'of the shop', 'b6d52dbe4486346998917500b97384fc619d917ea5cda11fd465afd4b8e46cd6', 's it', 1759320000000, null, null, '["203.0.113.0/24","2001:db8::/32"]', '["https://shop.example.org"]', '["Shop"]', 1, '["read","generate"]', 5);
insert into "api_keys" ("id", "user_id", "name", "hash", "last4", "created_at", "last_used_at", "revoked_at", "allowed_ips", "allowed_origins", "allowed_agents", "v2_compat", "scopes", "generations") overriding system value values ('410b539125131620cb8bbeb7', '3178d5c42848235aff57660f417325ee', 'dora', '5fae8f1c2c0c771881297626063afbfb10264e2dc6685e72118dfbb586798c2d', 'f529', 1759320000000, 1759320060000, null, '[]', '[]', '[]', 0, '["read","generate","skins","account"]', 5);
insert into "api_keys" ("id", "user_id", "name", "hash", "last4", "created_at", "last_used_at", "revoked_at", "allowed_ips", "allowed_origins", "allowed_agents", "v2_compat", "scopes", "generations") overriding system value values ('42d1fa3b8b9985379404365b', '3178d5c42848235aff57660f417325ee', 'lost, "it''s" 💎', '32e5968800fa7ebcf35ec29a280ac58be4c967e409bdc6430207a8ae16eb5dcb', 's it', 1759320000000, 1759320060000, 1759320060000, '[]', '[]', '[]', 0, '["read","generate","skins","account"]', 5);
insert into "api_keys" ("id", "user_id", "name", "hash", "last4", "created_at", "last_used_at", "revoked_at", "allowed_ips", "allowed_origins", "allowed_agents", "v2_compat", "scopes", "generations") overriding system value values ('541da4583ad3bf708f19f946', 'ab613894f5ca97d0aaa8a064aa4a47f4', 'owner', '242e9d1cc9746cb51297578f2abfb63487923bb9e6bd1c4d1102305140eb3ec6', 'b8ad', 1759320000000, 1759320060000, null, '[]', '[]', '[]', 0, '["read","generate","skins","account","operator"]', 5);
insert into "api_keys" ("id", "user_id", "name", "hash", "last4", "created_at", "last_used_at", "revoked_at", "allowed_ips", "allowed_origins", "allowed_agents", "v2_compat", "scopes", "generations") overriding system value values ('88b55d5ac22220b2254edd78', '6e1b0e56f1a37053b4afeb9e144d8364', 'emil', '39174678333bd1de60a41585847bf7f82b727708820e2aff4689d96599a73ba0', 'd57f', 1759320000000, 1759320060000, null, '[]', '[]', '[]', 0, '["read","generate","skins","account"]', 5);
insert into "api_keys" ("id", "user_id", "name", "hash", "last4", "created_at", "last_used_at", "revoked_at", "allowed_ips", "allowed_origins", "allowed_agents", "v2_compat", "scopes", "generations") overriding system value values ('d6666d6c3eede7fb0e3962d5', 'a3dd0ac05b9434fbb09dfc3ec3bd81d8', 'fay', 'f6957b1c8bcd9e9d6c9c624bed6b455dd103f706408ab21404363842c0821cd5', 'f6e2', 1759320000000, 1759320060000, null, '[]', '[]', '[]', 0, '["read","generate","skins","account"]', 5);
insert into "identities" ("issuer", "subject", "user_id", "created_at") overriding system value values ('https://id.example.org', 'dora|7', '3178d5c42848235aff57660f417325ee', 1759320000000);
insert into "identities" ("issuer", "subject", "user_id", "created_at") overriding system value values ('https://other.example.org', 'd', '3178d5c42848235aff57660f417325ee', 1759320060000);
insert into "first_sign_ins" ("hash", "issuer", "subject", "name", "rights", "expires_at") overriding system value values ('08f7c38f7b4a9d671fb10fe80b8cb48d309b3da7eaa252493e48347ee095c457', 'https://id.example.org', 'gus|9', 'gus', '{"plan":"free","isOperator":false}', 7258118400000);
insert into "sessions" ("id", "hash", "user_id", "key_id", "agent", "created_at", "used_at", "expires_at") overriding system value values ('3f3af1ecebbd1410ab417ec0', '591208c44ca71a8081a214f7bd9f8ec70fc20991826bf6eb71d6e8bfdc8f36ee', '3178d5c42848235aff57660f417325ee', '410b539125131620cb8bbeb7', 'Mozilla/5.0 (X11; "Ä" 💎)', 1759320000000, 1759320000000, 7258118400000);
insert into "sessions" ("id", "hash", "user_id", "key_id", "agent", "created_at", "used_at", "expires_at") overriding system value values ('7d62568f3867b062bccf8187', '283bb9deef02e6843abfb538efa1eca70801bd8a701c3f98191e123496339247', '3178d5c42848235aff57660f417325ee', null, 'Mozilla/5.0 (X11; "Ä" 💎)', 1759320000000, 1759320000000, 7258118400000);
insert into "sign_in_links" ("hash", "user_id", "key_id", "expires_at") overriding system value values ('6518acf68dcb3ee1babb8bf86d99dce0c27829eaa3ac9fe593b84d59085cebda', '3178d5c42848235aff57660f417325ee', '410b539125131620cb8bbeb7', 7258118400000);
insert into "sign_in_links" ("hash", "user_id", "key_id", "expires_at") overriding system value values ('ce92df9fe4adbbdb239eb5dfe2148acf7042713ff8f089febb3b57ccf3643caf', '3178d5c42848235aff57660f417325ee', null, 7258118400000);
insert into "textures" ("hash", "width", "height", "fingerprint", "head_band", "body_band", "light_band", "png", "created_at") overriding system value values ('090af986698d67793b125d9d9337180fac8d5030e0a7232f43890e8c3a82d209', 64, 64, '\x68688d68688d69688d68688d69688d945e9b68688d68688d69688d68688d68688d69688d68688d68688d69688d69688d69688d68688d69688d69688d69688d68688d69688d68688d69688d69688d69688d68688d69688d69688d69688d68688d68688d68688d68688d68688d69688d69688d69688d69688d69688d69688d69688d69688d68688d68688d69688d69688d68688d68688d69688d69688d69688d69688d69688d69688d', 'DJNDJNDD', 'DJNDJNDJN', '?@??????', '\x89504e470d0a1a0a0000000d4948445200000040000000400806000000aa6971de0000023449444154785eed99596ac4400c44bde72ade4ea4dfdc3e975088c160da9e797444c50ef4fb2b24774acca8e589aa8ab0d16b9bbcb1d95b5bbcb3d57b1b7db0c92b9b1de3ff9dda166f6cf5d646ef6cf2de661f6cf1ca56afb7e2dfc7e9fcc7d3d8e4adcdded9e2bdad3efc146593d7367bb315ff3e4ee73f9ed656ef6cf4de261fb6affce2b5added8e8ed56fcfb389dff783a9bbdb7c5075b2ffb9de274fee3395e6857fd4e713afff11c2fb4ab7ea7389dff7c0e17da55bf63fcf1d01c57c7ef86e6b83a4efee4d01cdfe39f5f1fbf7a0fa038f99343735c1d277f72688eabe3e44f0ecd71759cfcc9a139ae8e933f3d34c7d5f1c791f4e9491334f7294e44fd11a9a15c8334f7294ee747fd21a9c154d3f334f7294ee747fd21e92792fb09d1dca7389d1ff577867a2aa8e90e88e6a326a8a77235f578343f5753fdd853b99a7a3c9a9faba97eeca95c4d3d1ecdcfd554ffe9d68e6a7af78fe6e76aaabf4abf7251cdfd1dcbcfd554ff696c4535bdfb47f37335d55f9de67058d36f83687ea626d21e8ceae31fbfeaef687eaea6faabf4d289ea572f347b7f47f37335d57ffa874854bf7aa1d9fb3b9a9faba9fe2abd75a3fad50bcddedfd1fc5c4df5170a8542a15028140a8542a15028c489eeeaa2cfdf4d7457177dfe76a2bbbae8f3b713ddd5459fff7ba867d5fa6ea867d59afcc9a19e556bf227877a56adc99f1cdacfab35f99343fb79b5267f72683fafd6e44f0fede7d5fa6e683fafd6e44f0eede7d59afcc9a1fdbc5a933f39b49f576bf2477c0367b5b6b153be7ab30000000049454e44ae426082', 1759320000000);
insert into "textures" ("hash", "width", "height", "fingerprint", "head_band", "body_band", "light_band", "png", "created_at") overriding system value values ('1926504f2545f092ea330bcdd8e900a3eaa2a74d95078ac468d16dc46f0b3641', 64, 64, '\x68688d68688d69688d68688d69688d945f9b68688d68688d69688d68688d68688d69688d68688d68688d69688d69688d69688d68688d69688d69688d69688d68688d69688d68688d69688d69688d69688d68688d69688d69688d69688d68688d68688d68688d68688d68688d69688d69688d69688d69688d69688d69688d69688d69688d68688d68688d69688d69688d68688d68688d69688d69688d69688d69688d69688d69688d', 'DJNDJNDD', 'DJNDJNDJN', '?@??????', '\x89504e470d0a1a0a0000000d4948445200000040000000400806000000aa6971de0000023449444154785eed99596ac4400c44bde72ade4ea4ef9c3e975088c160da9e797444c50ef4fb2b24774acca8e589aa8ab0d16b9bbcb1d95b5bbcb3d57b1b7db0c92b9b1de3ff9dda166f6cf5d646ef6cf2de661f6cf1ca56afb7e2dfc7e9fcc7d3d8e4adcdded9e2bdad3efc146593d7367bb315ff3e4ee73f9ed656ef6cf4de261fb6affce2b5added8e8ed56fcfb389dff783a9bbdb7c5075b2ffb9de274fee3395e6857fd4e713afff11c2fb4ab7ea7389dff7c0e17da55bf63fcf1d01c57c7ef86e6b83a4efee4d01cdfe39f5f1fbf7a0fa038f99343735c1d277f72688eabe3e44f0ecd71759cfcc9a139ae8e933f3d34c7d5f1c791f4e9491334f7294e44fd11a9a15c8334f7294ee747fd21a9c154d3f334f7294ee747fd21e92792fb09d1dca7389d1ff577867a2aa8e90e88e6a326a8a77235f578343f5753fdd853b99a7a3c9a9faba97eeca95c4d3d1ecdcfd554ffe9d68e6a7af78fe6e76aaabf4abf7251cdfd1dcbcfd554ff696c4535bdfb47f37335d55f9de67058d36f83687ea626d21e8ceae31fbfeaef687eaea6faabf4d289ea572f347b7f47f37335d57ffa874854bf7aa1d9fb3b9a9faba9fe2abd75a3fad50bcddedfd1fc5c4df5170a8542a15028140a8542a15028c489eeeaa2cfdf4d7457177dfe76a2bbbae8f3b713ddd5459fff7ba867d5fa6ea867d59afcc9a19e556bf227877a56adc99f1cdacfab35f99343fb79b5267f72683fafd6e44f0fede7d5fa6e683fafd6e44f0eede7d59afcc9a1fdbc5a933f39b49f576bf2477c039dc2b6b202b80c460000000049454e44ae426082', 1759320000000);
insert into "textures" ("hash", "width", "height", "fingerprint", "head_band", "body_band", "light_band", "png", "created_at") overriding system value values ('2162b63be23d4aa67abf787eff288bb69879df709e7186c62edd0496ad0ad6d8', 64, 64, '\x68688d68688d69688d68688d69688d945f9b68688d68688d69688d68688d68688d69688d68688d68688d69688d69688d69688d68688d69688d69688d69688d68688d69688d68688d69688d69688d69688d68688d69688d69688d69688d68688d68688d68688d68688d68688d69688d69688d69688d69688d69688d69688d69688d69688d68688d68688d69688d69688d68688d68688d69688d69688d69688d69688d69688d69688d', 'DJNDJNDD', 'DJNDJNDJN', '?@??????', '\x89504e470d0a1a0a0000000d4948445200000040000000400806000000aa6971de0000023449444154785eed99596ac4400c44bde72ade4ea413e4ecb984420c06d3f6cca3232a76a0df5f21b95362462d4f5455848d5edbe48dcddedae29daddedbe8834d5ed9ec18ffefd4b67863abb7367a6793f736fb608b57b67abd15ff3e4ee73f9ec6266f6df6ce16ef6df5e1a7289bbcb6d99badf8f7713afff1b4b67a67a3f736f9b07de517af6df5c6466fb7e2dfc7e9fcc7d3d9ecbd2d3ed87ad9ef14a7f31fcff142bbea778ad3f98fe778a15df53bc5e9fce773b8d0aefa1de38f87e6b83a7e3734c7d571f22787e6f81efffcfaf8d57b00c5c99f1c9ae3ea38f99343735c1d277f72688eabe3e44f0ecd71759cfce9a139ae8e3f8ea44f4f9aa0b94f7122ea8f480de51aa4b94f713a3fea0f490da69a9ea7b94f713a3fea0f493f91dc4f88e63ec5e9fca8bf33d453414d7740341f35413d95aba9c7a3f9b99aeac79ecad5d4e3d1fc5c4df5634fe56aeaf1687eaea6fa4fb77654d3bb7f343f5753fd55fa958b6aeeef587eaea6fa4f632baae9dd3f9a9faba9feea3487c39a7e1b44f3333591f660541ffff8557f47f37335d55fa5974e54bf7aa1d9fb3b9a9faba9fed33f44a2fad50bcddedfd1fc5c4df557e9ad1bd5af5e68f6fe8ee6e76aaabf5028140a8542a15028140a8542214e7457177dfe6ea2bbbae8f3b713ddd5459fbf9de8ae2efafcdf433dabd677433dabd6e44f0ef5ac5a933f39d4b36a4dfee4d07e5eadc99f1cdacfab35f99343fb79b5267f7a683fafd67743fb79b5267f72683fafd6e44f0eede7d59afcc9a1fdbc5a933fe21b7605b6b628185a720000000049454e44ae426082', 1759320000000);
insert into "textures" ("hash", "width", "height", "fingerprint", "head_band", "body_band", "light_band", "png", "created_at") overriding system value values ('2258104d1de3b8fbff99882f5c1cbc009e4777505dbe0505bb42222f563fbdf5', 64, 64, '\x68688d68688d69688d68688d69688d945f9b68688d68688d69688d68688d68688d69688d68688d68688d69688d69688d69688d68688d69688d69688d69688d68688d69688d68688d69688d69688d69688d68688d69688d69688d69688d68688d68688d68688d68688d68688d69688d69688d69688d69688d69688d69688d69688d69688d68688d68688d69688d69688d68688d68688d69688d69688d69688d69688d69688d69688d', 'DJNDJNDD', 'DJNDJNDJN', '?@??????', '\x89504e470d0a1a0a0000000d4948445200000040000000400806000000aa6971de0000023449444154785eed99596ac4400c44bde72ade4ea41be4eab984420c06d3f6cca3232a76a0df5f21b95362462d4f5455848d5edbe48dcddedae29daddedbe8834d5ed9ec18ffefd4b67863abb7367a6793f736fb608b57b67abd15ff3e4ee73f9ec6266f6df6ce16ef6df5e1a7289bbcb6d99badf8f7713afff1b4b67a67a3f736f9b07de517af6df5c6466fb7e2dfc7e9fcc7d3d9ecbd2d3ed87ad9ef14a7f31fcff142bbea778ad3f98fe778a15df53bc5e9fce773b8d0aefa1de38f87e6b83a7e3734c7d571f22787e6f81efffcfaf8d57b00c5c99f1c9ae3ea38f99343735c1d277f72688eabe3e44f0ecd71759cfce9a139ae8e3f8ea44f4f9aa0b94f7122ea8f480de51aa4b94f713a3fea0f490da69a9ea7b94f713a3fea0f493f91dc4f88e63ec5e9fca8bf33d453414d7740341f35413d95aba9c7a3f9b99aeac79ecad5d4e3d1fc5c4df5634fe56aeaf1687eaea6fa4fb77654d3bb7f343f5753fd55fa958b6aeeef587eaea6fa4f632baae9dd3f9a9faba9feea3487c39a7e1b44f3333591f660541ffff8557f47f37335d55fa5974e54bf7aa1d9fb3b9a9faba9fed33f44a2fad50bcddedfd1fc5c4df557e9ad1bd5af5e68f6fe8ee6e76aaabf5028140a8542a15028140a8542214e7457177dfe6ea2bbbae8f3b713ddd5459fbf9de8ae2efafcdf433dabd677433dabd6e44f0ef5ac5a933f39d4b36a4dfee4d07e5eadc99f1cdacfab35f99343fb79b5267f7a683fafd67743fb79b5267f72683fafd6e44f0eede7d59afcc9a1fdbc5a933fe21bac12b6b742b15f090000000049454e44ae426082', 1759320000000);
insert into "textures" ("hash", "width", "height", "fingerprint", "head_band", "body_band", "light_band", "png", "created_at") overriding system value values ('42054c122cbf4b664800650270f68fe15753eec5463ad94d8f613bd32fc0aa30', 64, 64, '\x68688d68688d69688d68688d69688d945f9b68688d68688d69688d68688d68688d69688d68688d68688d69688d69688d69688d68688d69688d69688d69688d68688d69688d68688d69688d69688d69688d68688d69688d69688d69688d68688d68688d68688d68688d68688d69688d69688d69688d69688d69688d69688d69688d69688d68688d68688d69688d69688d68688d68688d69688d69688d69688d69688d69688d69688d', 'DJNDJNDD', 'DJNDJNDJN', '?@??????', '\x89504e470d0a1a0a0000000d4948445200000040000000400806000000aa6971de0000023449444154785eed99596ac4400c44bde72ade4ea403e4f0b984420c06d3f6cca3232a76a0df5f21b95362462d4f5455848d5edbe48dcddedae29daddedbe8834d5ed9ec18ffefd4b67863abb7367a6793f736fb608b57b67abd15ff3e4ee73f9ec6266f6df6ce16ef6df5e1a7289bbcb6d99badf8f7713afff1b4b67a67a3f736f9b07de517af6df5c6466fb7e2dfc7e9fcc7d3d9ecbd2d3ed87ad9ef14a7f31fcff142bbea778ad3f98fe778a15df53bc5e9fce773b8d0aefa1de38f87e6b83a7e3734c7d571f22787e6f81efffcfaf8d57b00c5c99f1c9ae3ea38f99343735c1d277f72688eabe3e44f0ecd71759cfce9a139ae8e3f8ea44f4f9aa0b94f7122ea8f480de51aa4b94f713a3fea0f490da69a9ea7b94f713a3fea0f493f91dc4f88e63ec5e9fca8bf33d453414d7740341f35413d95aba9c7a3f9b99aeac79ecad5d4e3d1fc5c4df5634fe56aeaf1687eaea6fa4fb77654d3bb7f343f5753fd55fa958b6aeeef587eaea6fa4f632baae9dd3f9a9faba9feea3487c39a7e1b44f3333591f660541ffff8557f47f37335d55fa5974e54bf7aa1d9fb3b9a9faba9fed33f44a2fad50bcddedfd1fc5c4df557e9ad1bd5af5e68f6fe8ee6e76aaabf5028140a8542a15028140a8542214e7457177dfe6ea2bbbae8f3b713ddd5459fbf9de8ae2efafcdf433dabd677433dabd6e44f0ef5ac5a933f39d4b36a4dfee4d07e5eadc99f1cdacfab35f99343fb79b5267f7a683fafd67743fb79b5267f72683fafd6e44f0eede7d59afcc9a1fdbc5a933fe21b09ebb6b4d3afa0300000000049454e44ae426082', 1759320000000);
insert into "textures" ("hash", "width", "height", "fingerprint", "head_band", "body_band", "light_band", "png", "created_at") overriding system value values ('432797cea1436fa29505c28c5e392ac67c05099e70ca44adf35cf05c7fda6727', 64, 64, '\x68688d68688d69688d68688d69688d935e9b68688d68688d69688d68688d68688d69688d68688d68688d69688d69688d69688d68688d69688d69688d69688d68688d69688d68688d69688d69688d69688d68688d69688d69688d69688d68688d68688d68688d68688d68688d69688d69688d69688d69688d69688d69688d69688d69688d68688d68688d69688d69688d68688d68688d69688d69688d69688d69688d69688d69688d', 'DJNDJNDD', 'DJNDJNDJN', '?@??????', '\x89504e470d0a1a0a0000000d4948445200000040000000400806000000aa6971de0000023449444154785eed99596ac4400c44bde72ade4ea4bf5c3f975088c160da9e797444c50ef4fb2b24774acca8e589aa8ab0d16b9bbcb1d95b5bbcb3d57b1b7db0c92b9b1de3ff9dda166f6cf5d646ef6cf2de661f6cf1ca56afb7e2dfc7e9fcc7d3d8e4adcdded9e2bdad3efc146593d7367bb315ff3e4ee73f9ed656ef6cf4de261fb6affce2b5added8e8ed56fcfb389dff783a9bbdb7c5075b2ffb9de274fee3395e6857fd4e713afff11c2fb4ab7ea7389dff7c0e17da55bf63fcf1d01c57c7ef86e6b83a4efee4d01cdfe39f5f1fbf7a0fa038f99343735c1d277f72688eabe3e44f0ecd71759cfcc9a139ae8e933f3d34c7d5f1c791f4e9491334f7294e44fd11a9a15c8334f7294ee747fd21a9c154d3f334f7294ee747fd21e92792fb09d1dca7389d1ff577867a2aa8e90e88e6a326a8a77235f578343f5753fdd853b99a7a3c9a9faba97eeca95c4d3d1ecdcfd554ffe9d68e6a7af78fe6e76aaabf4abf7251cdfd1dcbcfd554ff696c4535bdfb47f37335d55f9de67058d36f83687ea626d21e8ceae31fbfeaef687eaea6faabf4d289ea572f347b7f47f37335d57ffa874854bf7aa1d9fb3b9a9faba9fe2abd75a3fad50bcddedfd1fc5c4df5170a8542a15028140a8542a15028c489eeeaa2cfdf4d7457177dfe76a2bbbae8f3b713ddd5459fff7ba867d5fa6ea867d59afcc9a19e556bf227877a56adc99f1cdacfab35f99343fb79b5267f72683fafd6e44f0fede7d5fa6e683fafd6e44f0eede7d59afcc9a1fdbc5a933f39b49f576bf2477c03fb8cb6afe2689ead0000000049454e44ae426082', 1759320000000);
insert into "textures" ("hash", "width", "height", "fingerprint", "head_band", "body_band", "light_band", "png", "created_at") overriding system value values ('4b2d8d7b94bc7f161b93cccb5cb60848614f30ff30466e9f44a8f0ed9ec68c4b', 64, 32, null, null, null, null, '\x89504e470d0a1a0a0000000d4948445200000040000000200806000000a29d7e840000005949444154785eedd0a10100201080c0ef5667775d1d818e846b2466ed737f3614d8358002bb065060d7000aec1a40815d0328b06b0005760da0c0ae0114d8358002bb065060d7000aec1a40815d0328b06b0005760da0c0ee017ad7a0c4643f11460000000049454e44ae426082', 1759320000000);
insert into "textures" ("hash", "width", "height", "fingerprint", "head_band", "body_band", "light_band", "png", "created_at") overriding system value values ('68b8058ad443fa21ac806159ad37befc1b14bb4ac2d4f6bec828499d3ed32950', 64, 64, '\x68688d68688d69688d68688d69688d945f9b68688d68688d69688d68688d68688d69688d68688d68688d69688d69688d69688d68688d69688d69688d69688d68688d69688d68688d69688d69688d69688d68688d69688d69688d69688d68688d68688d68688d68688d68688d69688d69688d69688d69688d69688d69688d69688d69688d68688d68688d69688d69688d68688d68688d69688d69688d69688d69688d69688d69688d', 'DJNDJNDD', 'DJNDJNDJN', '?@??????', '\x89504e470d0a1a0a0000000d4948445200000040000000400806000000aa6971de0000023449444154785eed99596ac4400c44bde72ade4ea423e4e8b984420c06d3f6cca3232a76a0df5f21b95362462d4f5455848d5edbe48dcddedae29daddedbe8834d5ed9ec18ffefd4b67863abb7367a6793f736fb608b57b67abd15ff3e4ee73f9ec6266f6df6ce16ef6df5e1a7289bbcb6d99badf8f7713afff1b4b67a67a3f736f9b07de517af6df5c6466fb7e2dfc7e9fcc7d3d9ecbd2d3ed87ad9ef14a7f31fcff142bbea778ad3f98fe778a15df53bc5e9fce773b8d0aefa1de38f87e6b83a7e3734c7d571f22787e6f81efffcfaf8d57b00c5c99f1c9ae3ea38f99343735c1d277f72688eabe3e44f0ecd71759cfce9a139ae8e3f8ea44f4f9aa0b94f7122ea8f480de51aa4b94f713a3fea0f490da69a9ea7b94f713a3fea0f493f91dc4f88e63ec5e9fca8bf33d453414d7740341f35413d95aba9c7a3f9b99aeac79ecad5d4e3d1fc5c4df5634fe56aeaf1687eaea6fa4fb77654d3bb7f343f5753fd55fa958b6aeeef587eaea6fa4f632baae9dd3f9a9faba9feea3487c39a7e1b44f3333591f660541ffff8557f47f37335d55fa5974e54bf7aa1d9fb3b9a9faba9fed33f44a2fad50bcddedfd1fc5c4df557e9ad1bd5af5e68f6fe8ee6e76aaabf5028140a8542a15028140a8542214e7457177dfe6ea2bbbae8f3b713ddd5459fbf9de8ae2efafcdf433dabd677433dabd6e44f0ef5ac5a933f39d4b36a4dfee4d07e5eadc99f1cdacfab35f99343fb79b5267f7a683fafd67743fb79b5267f72683fafd6e44f0eede7d59afcc9a1fdbc5a933fe21be21fb6b8866090fb0000000049454e44ae426082', 1759320000000);
insert into "textures" ("hash", "width", "height", "fingerprint", "head_band", "body_band", "light_band", "png", "created_at") overriding system value values ('6c18bf51269761497538328973bcdb447ac940eccf248e8ac920e575b8051185', 64, 64, '\x68688d68688d69688d68688d69688d945f9b68688d68688d69688d68688d68688d69688d68688d68688d69688d69688d69688d68688d69688d69688d69688d68688d69688d68688d69688d69688d69688d68688d69688d69688d69688d68688d68688d68688d68688d68688d69688d69688d69688d69688d69688d69688d69688d69688d68688d68688d69688d69688d68688d68688d69688d69688d69688d69688d69688d69688d', 'DJNDJNDD', 'DJNDJNDJN', '?@??????', '\x89504e470d0a1a0a0000000d4948445200000040000000400806000000aa6971de0000023449444154785eed99596ac4400c44bde72ade4ea42be4e6b984420c06d3f6cca3232a76a0df5f21b95362462d4f5455848d5edbe48dcddedae29daddedbe8834d5ed9ec18ffefd4b67863abb7367a6793f736fb608b57b67abd15ff3e4ee73f9ec6266f6df6ce16ef6df5e1a7289bbcb6d99badf8f7713afff1b4b67a67a3f736f9b07de517af6df5c6466fb7e2dfc7e9fcc7d3d9ecbd2d3ed87ad9ef14a7f31fcff142bbea778ad3f98fe778a15df53bc5e9fce773b8d0aefa1de38f87e6b83a7e3734c7d571f22787e6f81efffcfaf8d57b00c5c99f1c9ae3ea38f99343735c1d277f72688eabe3e44f0ecd71759cfce9a139ae8e3f8ea44f4f9aa0b94f7122ea8f480de51aa4b94f713a3fea0f490da69a9ea7b94f713a3fea0f493f91dc4f88e63ec5e9fca8bf33d453414d7740341f35413d95aba9c7a3f9b99aeac79ecad5d4e3d1fc5c4df5634fe56aeaf1687eaea6fa4fb77654d3bb7f343f5753fd55fa958b6aeeef587eaea6fa4f632baae9dd3f9a9faba9feea3487c39a7e1b44f3333591f660541ffff8557f47f37335d55fa5974e54bf7aa1d9fb3b9a9faba9fed33f44a2fad50bcddedfd1fc5c4df557e9ad1bd5af5e68f6fe8ee6e76aaabf5028140a8542a15028140a8542214e7457177dfe6ea2bbbae8f3b713ddd5459fbf9de8ae2efafcdf433dabd677433dabd6e44f0ef5ac5a933f39d4b36a4dfee4d07e5eadc99f1cdacfab35f99343fb79b5267f7a683fafd67743fb79b5267f72683fafd6e44f0eede7d59afcc9a1fdbc5a933fe21b183bb6b9653453950000000049454e44ae426082', 1759320000000);
insert into "textures" ("hash", "width", "height", "fingerprint", "head_band", "body_band", "light_band", "png", "created_at") overriding system value values ('6de4d4ceaf2ab98cd41ffa34079120ce038f19b015473601226423eeaec526e5', 64, 64, '\x68688d68688d69688d68688d69688d945f9b68688d68688d69688d68688d68688d69688d68688d68688d69688d69688d69688d68688d69688d69688d69688d68688d69688d68688d69688d69688d69688d68688d69688d69688d69688d68688d68688d68688d68688d68688d69688d69688d69688d69688d69688d69688d69688d69688d68688d68688d69688d69688d68688d68688d69688d69688d69688d69688d69688d69688d', 'DJNDJNDD', 'DJNDJNDJN', '?@??????', '\x89504e470d0a1a0a0000000d4948445200000040000000400806000000aa6971de0000023449444154785eed99596ac4400c44bde72ade4ea40be4eeb984420c06d3f6cca3232a76a0df5f21b95362462d4f5455848d5edbe48dcddedae29daddedbe8834d5ed9ec18ffefd4b67863abb7367a6793f736fb608b57b67abd15ff3e4ee73f9ec6266f6df6ce16ef6df5e1a7289bbcb6d99badf8f7713afff1b4b67a67a3f736f9b07de517af6df5c6466fb7e2dfc7e9fcc7d3d9ecbd2d3ed87ad9ef14a7f31fcff142bbea778ad3f98fe778a15df53bc5e9fce773b8d0aefa1de38f87e6b83a7e3734c7d571f22787e6f81efffcfaf8d57b00c5c99f1c9ae3ea38f99343735c1d277f72688eabe3e44f0ecd71759cfce9a139ae8e3f8ea44f4f9aa0b94f7122ea8f480de51aa4b94f713a3fea0f490da69a9ea7b94f713a3fea0f493f91dc4f88e63ec5e9fca8bf33d453414d7740341f35413d95aba9c7a3f9b99aeac79ecad5d4e3d1fc5c4df5634fe56aeaf1687eaea6fa4fb77654d3bb7f343f5753fd55fa958b6aeeef587eaea6fa4f632baae9dd3f9a9faba9feea3487c39a7e1b44f3333591f660541ffff8557f47f37335d55fa5974e54bf7aa1d9fb3b9a9faba9fed33f44a2fad50bcddedfd1fc5c4df557e9ad1bd5af5e68f6fe8ee6e76aaabf5028140a8542a15028140a8542214e7457177dfe6ea2bbbae8f3b713ddd5459fbf9de8ae2efafcdf433dabd677433dabd6e44f0ef5ac5a933f39d4b36a4dfee4d07e5eadc99f1cdacfab35f99343fb79b5267f7a683fafd67743fb79b5267f72683fafd6e44f0eede7d59afcc9a1fdbc5a933fe21b3ff8b6b53280a4310000000049454e44ae426082', 1759320000000);
insert into "textures" ("hash", "width", "height", "fingerprint", "head_band", "body_band", "light_band", "png", "created_at") overriding system value values ('6f8857107c8c50c1154d823734f3b30d69d7d0436013274ab241c1763a179b38', 64, 32, null, null, null, null, '\x89504e470d0a1a0a0000000d4948445200000040000000200806000000a29d7e840000005949444154785eedd0a10100201080c0cf6667775d1d818e846b2466ed737f3614d8358002bb065060d7000aec1a40815d0328b06b0005760da0c0ae0114d8358002bb065060d7000aec1a40815d0328b06b0005760da0c0ee01e74898c486669c860000000049454e44ae426082', 1759320000000);
insert into "textures" ("hash", "width", "height", "fingerprint", "head_band", "body_band", "light_band", "png", "created_at") overriding system value values ('93b1d41b51a2eb325187bd3fa9bb34812c00a3e5570ff9e70bbc6d453602ba08', 64, 64, '\x68688d68688d69688d68688d69688d945e9b68688d68688d69688d68688d68688d69688d68688d68688d69688d69688d69688d68688d69688d69688d69688d68688d69688d68688d69688d69688d69688d68688d69688d69688d69688d68688d68688d68688d68688d68688d69688d69688d69688d69688d69688d69688d69688d69688d68688d68688d69688d69688d68688d68688d69688d69688d69688d69688d69688d69688d', 'DJNDJNDD', 'DJNDJNDJN', '?@??????', '\x89504e470d0a1a0a0000000d4948445200000040000000400806000000aa6971de0000023449444154785eed99596ac4400c44bde72ade4ea4cf1c3f975088c160da9e797444c50ef4fb2b24774acca8e589aa8ab0d16b9bbcb1d95b5bbcb3d57b1b7db0c92b9b1de3ff9dda166f6cf5d646ef6cf2de661f6cf1ca56afb7e2dfc7e9fcc7d3d8e4adcdded9e2bdad3efc146593d7367bb315ff3e4ee73f9ed656ef6cf4de261fb6affce2b5added8e8ed56fcfb389dff783a9bbdb7c5075b2ffb9de274fee3395e6857fd4e713afff11c2fb4ab7ea7389dff7c0e17da55bf63fcf1d01c57c7ef86e6b83a4efee4d01cdfe39f5f1fbf7a0fa038f99343735c1d277f72688eabe3e44f0ecd71759cfcc9a139ae8e933f3d34c7d5f1c791f4e9491334f7294e44fd11a9a15c8334f7294ee747fd21a9c154d3f334f7294ee747fd21e92792fb09d1dca7389d1ff577867a2aa8e90e88e6a326a8a77235f578343f5753fdd853b99a7a3c9a9faba97eeca95c4d3d1ecdcfd554ffe9d68e6a7af78fe6e76aaabf4abf7251cdfd1dcbcfd554ff696c4535bdfb47f37335d55f9de67058d36f83687ea626d21e8ceae31fbfeaef687eaea6faabf4d289ea572f347b7f47f37335d57ffa874854bf7aa1d9fb3b9a9faba9fe2abd75a3fad50bcddedfd1fc5c4df5170a8542a15028140a8542a15028c489eeeaa2cfdf4d7457177dfe76a2bbbae8f3b713ddd5459fff7ba867d5fa6ea867d59afcc9a19e556bf227877a56adc99f1cdacfab35f99343fb79b5267f72683fafd6e44f0fede7d5fa6e683fafd6e44f0eede7d59afcc9a1fdbc5a933f39b49f576bf2477c0331a8b6b01d17b7f80000000049454e44ae426082', 1759320000000);
insert into "textures" ("hash", "width", "height", "fingerprint", "head_band", "body_band", "light_band", "png", "created_at") overriding system value values ('f18f651550ee4e9c56e9c9f891cb23557f975ef0da54888f0c8217013988c855', 64, 64, '\x68688d68688d69688d68688d69688d945f9b68688d68688d69688d68688d68688d69688d68688d68688d69688d69688d69688d68688d69688d69688d69688d68688d69688d68688d69688d69688d69688d68688d69688d69688d69688d68688d68688d68688d68688d68688d69688d69688d69688d69688d69688d69688d69688d69688d68688d68688d69688d69688d68688d68688d69688d69688d69688d69688d69688d69688d', 'DJNDJNDD', 'DJNDJNDJN', '?@??????', '\x89504e470d0a1a0a0000000d4948445200000040000000400806000000aa6971de0000023449444154785eed99596ac4400c44bde72ade4ea4ff5c3e975088c160da9e797444c50ef4fb2b24774acca8e589aa8ab0d16b9bbcb1d95b5bbcb3d57b1b7db0c92b9b1de3ff9dda166f6cf5d646ef6cf2de661f6cf1ca56afb7e2dfc7e9fcc7d3d8e4adcdded9e2bdad3efc146593d7367bb315ff3e4ee73f9ed656ef6cf4de261fb6affce2b5added8e8ed56fcfb389dff783a9bbdb7c5075b2ffb9de274fee3395e6857fd4e713afff11c2fb4ab7ea7389dff7c0e17da55bf63fcf1d01c57c7ef86e6b83a4efee4d01cdfe39f5f1fbf7a0fa038f99343735c1d277f72688eabe3e44f0ecd71759cfcc9a139ae8e933f3d34c7d5f1c791f4e9491334f7294e44fd11a9a15c8334f7294ee747fd21a9c154d3f334f7294ee747fd21e92792fb09d1dca7389d1ff577867a2aa8e90e88e6a326a8a77235f578343f5753fdd853b99a7a3c9a9faba97eeca95c4d3d1ecdcfd554ffe9d68e6a7af78fe6e76aaabf4abf7251cdfd1dcbcfd554ff696c4535bdfb47f37335d55f9de67058d36f83687ea626d21e8ceae31fbfeaef687eaea6faabf4d289ea572f347b7f47f37335d57ffa874854bf7aa1d9fb3b9a9faba9fe2abd75a3fad50bcddedfd1fc5c4df5170a8542a15028140a8542a15028c489eeeaa2cfdf4d7457177dfe76a2bbbae8f3b713ddd5459fff7ba867d5fa6ea867d59afcc9a19e556bf227877a56adc99f1cdacfab35f99343fb79b5267f72683fafd6e44f0fede7d5fa6e683fafd6e44f0eede7d59afcc9a1fdbc5a933f39b49f576bf2477c03d3cfb6b3b2ba1ac10000000049454e44ae426082', 1759320000000);
insert into "texture_data" ("identity", "texture_hash", "variant", "value", "signature", "url", "generator_version", "account", "server", "worker", "created_at", "duration", "cape_hash", "cape_url") overriding system value values ('280cdd5810b6404f24d396453d605d1df9f589cc09af01f3b1bff2a5736da3fe', '42054c122cbf4b664800650270f68fe15753eec5463ad94d8f613bd32fc0aa30', 'classic', 'eyJ0aW1lc3RhbXAiOjE3NTkzMjAwMDAwMDAsInByb2ZpbGVJZCI6IjgwZWQ0MDgzOWEzMzY1OWVhMTVjYzQyM2M5MDgzMmNhIiwicHJvZmlsZU5hbWUiOiJza2luc21pdGgiLCJzaWduYXR1cmVSZXF1aXJlZCI6dHJ1ZSwidGV4dHVyZXMiOnsiU0tJTiI6eyJ1cmwiOiJodHRwczovL3NraW5zLmV4YW1wbGUub3JnL3RleHR1cmVzLzQyMDU0YzEyMmNiZjRiNjY0ODAwNjUwMjcwZjY4ZmUxNTc1M2VlYzU0NjNhZDk0ZDhmNjEzYmQzMmZjMGFhMzAifX19', 'Ya01pQ1b71btzuzRScj6tt3ElYlewCp3pJxAxPGOrsifH/6ZbSCnx0PF/jJ6Ny4G9soEYhnNn9ALJ76TY9yxK+OASzakWR7JZlBEcmTHIWIe6dMn0mzTiJxkNf/deg5Nmf92nUM2TkeaaswIkXQe8gmUtv1x3zvVoNUFHbyIZbuBR28jBVlg8QfdnhbkolvEhn5YlmIQW/5cNTmvxI51DSuxhwo3iWrXktbkxouqDN/IlNREWWHWC6bWGTQJrgBWPNwaeIopA/HfHRvjSU3mPQ60e0leTEOclZ8063DTZhcz7EVmI17TpZHkt/JTRa8Wi9MsAP6K2DJCV4c1OkwDCUsUChdeS6JELnzVQ6c64sVEaYgmMD1hk5q5W903gaIjIm2qAIFNPOkdmLIASOk9aBZKRekt2lVPGf5qkoALaJGHVWRB0rTOGL06LEqiGhzrYMHWhfKWuoHLfMkgrlfwjjZXou6xMFkElt655uz1KKhPG6TeiblP4OoAQ06l4Tage709mgf+HdhTDuzUf020vQy4PGLmp9aznZMqNqSlHCUnHLm4n4mb5Ni1eQsfnFG3HwDVpdLcC1fGQA4U2A5d97jQQKQ88yZKZs67CdD2msU7HMT4du22hbOSXe14uYbkVh/Kk/iQwvd9kVYbqtTY1Ji3Wb5imo1fOhEUnMOHWXM=', 'https://skins.example.org/textures/42054c122cbf4b664800650270f68fe15753eec5463ad94d8f613bd32fc0aa30', '0.1.0', '52bdcdfc665f652a', 'skinsmith', '3', 1759320000000, 12, null, null);
insert into "texture_data" ("identity", "texture_hash", "variant", "value", "signature", "url", "generator_version", "account", "server", "worker", "created_at", "duration", "cape_hash", "cape_url") overriding system value values ('3418368660770b564dc0cab5552ba95f0ee62d2f1be3bdbebb7f8f6b04684f03/user:6e1b0e56f1a37053b4afeb9e144d8364', '1926504f2545f092ea330bcdd8e900a3eaa2a74d95078ac468d16dc46f0b3641', 'classic', 'eyJ0aW1lc3RhbXAiOjE3NTkzMjAwMDAwMDAsInByb2ZpbGVJZCI6IjBmNTI2MGQ2MWI5MGQ1NDBlOWIwMDRlYTNhZTc2YjUzIiwicHJvZmlsZU5hbWUiOiJza2luc21pdGgiLCJzaWduYXR1cmVSZXF1aXJlZCI6dHJ1ZSwidGV4dHVyZXMiOnsiU0tJTiI6eyJ1cmwiOiJodHRwczovL3NraW5zLmV4YW1wbGUub3JnL3RleHR1cmVzLzE5MjY1MDRmMjU0NWYwOTJlYTMzMGJjZGQ4ZTkwMGEzZWFhMmE3NGQ5NTA3OGFjNDY4ZDE2ZGM0NmYwYjM2NDEifX19', 'POnnnir7Mbk2P+1Pz6HzAmcAviky3x6eD1ZsbGZ+MObsp4n9BhZTd6GhAf6ot5dZdR/+gGSxMYxGSh6ODNmkTSYSFdntlaimCDnZpzmFqHY4q3qcWZTp4Y0TnROnO4n71o4ZSZsyl9MnOXXE6jf5F2eAQygaXXzjN+nFOJ9A7428fm8UpQ/aSAYk906juFQUETUvnXFYBJ5eWoOIrvSjbb84mbdmfLp1C7GTQk6GQGkMtse628hqlzyQ3RKVhRP16Fv7Z40ECvvHY2OU9MOhokzK99A9+x0w6EymEMaIDgis/o03/D6aS8W4zMA/7Z+gkigioYxHf6gIJDmBtn4FHbbHBG0PCZ7NhYPOWl+/OHiH+iSEOB4RHBKbjO3kVD/p8vgXAedGvQAwdaXeceGpBzS+LfPoW27ZIA5dzU8lse7qtFVucq3E/DUmBbM2iY4HgnDheTb4H9olHvsUhu40HwEMpI6hhAP7LULf6eFLrBLqh3qDNGXOjRrht08KEjXs06hv0t6XdWet2xCHdUDyLUEys8ggJfFqt1s0nH6hgpbeXGKxP3amg0apYMWqOpwp1LjR5YCpZ2BUMSWL8CLkr2UQ6XKnQwVfbKSa1wprsyvhc0rlhNN3bH1U/ytxCj+MdQMJsfaEHbDdFEIl2r59o0/ibCiFz1Y+X0uX9HR7Wqo=', 'https://skins.example.org/textures/1926504f2545f092ea330bcdd8e900a3eaa2a74d95078ac468d16dc46f0b3641', '0.1.0', '52bdcdfc665f652a', 'skinsmith', '3', 1759320000000, 12, null, null);
insert into "texture_data" ("identity", "texture_hash", "variant", "value", "signature", "url", "generator_version", "account", "server", "worker", "created_at", "duration", "cape_hash", "cape_url") overriding system value values ('482767c3597e3acf070c29f21b99874565e5c97ac30dff4b69bc0cd81171142c', '432797cea1436fa29505c28c5e392ac67c05099e70ca44adf35cf05c7fda6727', 'classic', 'eyJ0aW1lc3RhbXAiOjE3NTkzMjAwMDAwMDAsInByb2ZpbGVJZCI6IjM1MTRjYzgyN2I2ODU4OTQ2YWRkNzQxNWM3ZmMyY2ViIiwicHJvZmlsZU5hbWUiOiJza2luc21pdGgiLCJzaWduYXR1cmVSZXF1aXJlZCI6dHJ1ZSwidGV4dHVyZXMiOnsiU0tJTiI6eyJ1cmwiOiJodHRwczovL3NraW5zLmV4YW1wbGUub3JnL3RleHR1cmVzLzQzMjc5N2NlYTE0MzZmYTI5NTA1YzI4YzVlMzkyYWM2N2MwNTA5OWU3MGNhNDRhZGYzNWNmMDVjN2ZkYTY3MjcifX19', 'fzB2ml+YZACTNTdfpZlQdJYBzj5+68jf1vyhgdKwHBW1TFm4roON+qrLylRKNroJW7WWS2dWOr0w9XuuPW/tlbR9X2FJ3/voBtg+hlYIbEkFx9OKBx15HYoLqbXOWd0LCuzNtqyHFmd40N+8qtM4E8m2d3cUisxL4GKux/tpZGvUjcmcsnY29mmS6j3CPMCQxaaRqRUJ5pjYxhWjssQhb8VPYtpmxtpDao7ZY8Wsu20BGTPbb4RL4G7+bg2jW7mBo5rvbSOIdrnxaNyJwQxwF3okHowksTQQKmCoqL7pZ2fRL9SBJ6AqrMz+C7Oeur/5PDee8SfSMYW6zvrO8kfP3WwzKsT9u6XMpVwKbCdGpPjAJmxvN82DPGY7KhQOPrLmWMB5kzIwRUuT04O8Yo95pq02PtLVdN2eVZLwgPCHV/aJxJbJ33lC9rgHQlMksz6yvPmwMQQRrHztOyc8wEoPjLY4HLJYvQfOCC3nN82hBCE1i9BZtr/5nynXuuThzVQATyDTyyy8nalZ4WcNn4W+FkL9MqbvICSfrzojd+hYu38kxZED5lffttxgyPEZ737yFz+nS6Lr7j49H/x07cgBeSZVnrLTmTIYhjSWo9mkDEEYgxcEXuvPA4t9GSmI1wviwRtGZJAu7GX2p9/y0TARRO9MyGRx5ykIaQpX7OMzfvo=', 'https://skins.example.org/textures/432797cea1436fa29505c28c5e392ac67c05099e70ca44adf35cf05c7fda6727', '0.1.0', '52bdcdfc665f652a', 'skinsmith', '3', 1759320000000, 12, null, null);
insert into "texture_data" ("identity", "texture_hash", "variant", "value", "signature", "url", "generator_version", "account", "server", "worker", "created_at", "duration", "cape_hash", "cape_url") overriding system value values ('7a105407baa39ddb07fbe804e1b9819652b0b21591a3d8da83e5b309dc14b52f', '93b1d41b51a2eb325187bd3fa9bb34812c00a3e5570ff9e70bbc6d453602ba08', 'slim', 'eyJ0aW1lc3RhbXAiOjE3NTkzMjAwMDAwMDAsInByb2ZpbGVJZCI6IjBiM2I4MmNkOTg4ZWI4ZTI5N2JiY2VmZDgxY2VjMTk1IiwicHJvZmlsZU5hbWUiOiJza2luc21pdGgiLCJzaWduYXR1cmVSZXF1aXJlZCI6dHJ1ZSwidGV4dHVyZXMiOnsiU0tJTiI6eyJ1cmwiOiJodHRwczovL3NraW5zLmV4YW1wbGUub3JnL3RleHR1cmVzLzkzYjFkNDFiNTFhMmViMzI1MTg3YmQzZmE5YmIzNDgxMmMwMGEzZTU1NzBmZjllNzBiYmM2ZDQ1MzYwMmJhMDgiLCJtZXRhZGF0YSI6eyJtb2RlbCI6InNsaW0ifX19fQ==', 'F0gGO/W5Di8Go560phYWI4AVjGZDBGLE/j3GtfVSW3HiH04CcDNeUPA4fXyiPgm1At0aKxi6gsHnM6kT9P+Ywceof5DQLduseQaNg76cM0S70ZRWMXAgEPmF97NzQWIQ2XqXZU5/gflL73tmBZEkiGsjPApxyBmES3GFX0DZbBasDUaUlneQvTIL+zLwZcpMafY/EjwZs9lEUyyStJyYgIpPvalbWdGxIx6j8/BFzb9NEBQgMsLTwFyYi1om3TGMHpyEja9Kq1BYcnldOmrxbfhB0BRJpm/Tb7yBQtUqphuouYY/53ZraJQItzQFSmxVLNLOVje4Cbp417gVJn+izcpVELaLd9mS77TEj2k6v1XllONJXm0yHFydyFWp7PviDrMLcUtcTikn8D9+g8I4qxjymM3bmiMSwjFV1EVjDmV+3V7RLF++a64Bg3eUGa3uuoRaq55+xYXocZfMD7PGJFgBuuS+PDlrHEkAOqk28oi+x46WW+FZUumTTwPBYRX6Lv3OgIl3CCSQuoh/ahMUgigPoR6JPEES8TgQB+Pq05nfeAQd0lAOpdy7VWDwrlBMFVnvOvKbYVRId0CL4yfwMTkh1bEAJ8Xw9wjfKVmBlMH9CdDWCRk/L1lBZAeEBEX2fywpZrEBkOTUFUO54N6UGzkkxaa0xJ/5K6bf+529ZCo=', 'https://skins.example.org/textures/93b1d41b51a2eb325187bd3fa9bb34812c00a3e5570ff9e70bbc6d453602ba08', '0.1.0', '52bdcdfc665f652a', 'skinsmith', '3', 1759320000000, 12, null, null);
insert into "texture_data" ("identity", "texture_hash", "variant", "value", "signature", "url", "generator_version", "account", "server", "worker", "created_at", "duration", "cape_hash", "cape_url") overriding system value values ('d1c805243e4ef6d6f485398a6bd5a11f09891a308396743cff5887117a20b815/user:3178d5c42848235aff57660f417325ee', '090af986698d67793b125d9d9337180fac8d5030e0a7232f43890e8c3a82d209', 'classic', 'eyJ0aW1lc3RhbXAiOjE3NTkzMjAwMDAwMDAsInByb2ZpbGVJZCI6ImFhMjk2NzkxNjk2NzA4Zjg0ZTdkYWUzMjU1ZTMwOWUxIiwicHJvZmlsZU5hbWUiOiJza2luc21pdGgiLCJzaWduYXR1cmVSZXF1aXJlZCI6dHJ1ZSwidGV4dHVyZXMiOnsiU0tJTiI6eyJ1cmwiOiJodHRwczovL3NraW5zLmV4YW1wbGUub3JnL3RleHR1cmVzLzA5MGFmOTg2Njk4ZDY3NzkzYjEyNWQ5ZDkzMzcxODBmYWM4ZDUwMzBlMGE3MjMyZjQzODkwZThjM2E4MmQyMDkifX19', 'ek1pYnVReEvxlkYLMboHOaC8kBYOV3VSWgiStBsjIDJV4WIqhTJnF2EsX6yaEgAe6yjk+1/ZyAgDKqlMmYR/ohnYb/U20buFK0UC9xDKTSJGgq6glBWzkXChg8zkpMOBnuwDjwjhlgnXFdD7Utx5rF8raREdvWK3Ym3ydbgK/cWKkDnpIztzsBKBwMZ4LYPAnhOwWs+snW8t8R9+dNfMKyMj+LaPaJlPluf7++T6JHL5jGzb6bwv4Ol4nUpDGDC+qFOAKgh735YNRiz61W+3Q7JB8Y2Yh7wMoryxgsj7/qxDZDPKVcXOk37Z8UCKwE0nvDQ+4LBbPQDD6K5iTiVFBwGUBfvbl3x+x+3FtDqlJe8FUS0djZp/DP0QDA2SMku6IRnAYVHXwVPR7l4k99RX8+u5JUreA/OkkhEMMARTYXM8O1YWZXAcrtrT2+VtWt7aV7ndy6JyFmVjb4McN/qKF2lDOrjHa3NDJ9mlsCOR30k1apI+3Xr4vLhxh9Zz0S8u8slGdj1KJ1h74nLAGnUGF3dhl0H/mWUmJxvvJNbrFctmoc7nxljO1THBT8yfkEdkkjegnym5OajX+O6Eax2l7k+u00lQAoanpa8NN/Qy81qMNdeNFrhqALQEJ05jo7NA+UbaunncKnnsEVolvS3zBHY1bqqb5RxSSHV6ALP3Bds=', 'https://skins.example.org/textures/090af986698d67793b125d9d9337180fac8d5030e0a7232f43890e8c3a82d209', '0.1.0', '52bdcdfc665f652a', 'skinsmith', '3', 1759320000000, 12, null, null);
insert into "texture_data" ("identity", "texture_hash", "variant", "value", "signature", "url", "generator_version", "account", "server", "worker", "created_at", "duration", "cape_hash", "cape_url") overriding system value values ('e8538251eb2918c076da7fd742bad25a238aedcf6d17bcc093a997e0d7610960', 'f18f651550ee4e9c56e9c9f891cb23557f975ef0da54888f0c8217013988c855', 'classic', 'eyJ0aW1lc3RhbXAiOjE3NTkzMjAwMDAwMDAsInByb2ZpbGVJZCI6IjU0OTQyYmMwMGJiNjA1ZmQ4MzEzNjgyNGJmZTI5MjYwIiwicHJvZmlsZU5hbWUiOiJza2luc21pdGgiLCJzaWduYXR1cmVSZXF1aXJlZCI6dHJ1ZSwidGV4dHVyZXMiOnsiU0tJTiI6eyJ1cmwiOiJodHRwczovL3NraW5zLmV4YW1wbGUub3JnL3RleHR1cmVzL2YxOGY2NTE1NTBlZTRlOWM1NmU5YzlmODkxY2IyMzU1N2Y5NzVlZjBkYTU0ODg4ZjBjODIxNzAxMzk4OGM4NTUifSwiQ0FQRSI6eyJ1cmwiOiJodHRwczovL3NraW5zLmV4YW1wbGUub3JnL3RleHR1cmVzLzZmODg1NzEwN2M4YzUwYzExNTRkODIzNzM0ZjNiMzBkNjlkN2QwNDM2MDEzMjc0YWIyNDFjMTc2M2ExNzliMzgifX19', 'K6a606ZH/ntim0QyqrO1GJ/vHMjXkueep6Gqzdn5SxGaB8llNhZ72Ob/+Sd+9eqPzM63WWgO0bdlbID6EaIQN5q/0AM3Uc8a2wdKJWDNY8QncJvT6r/IrLmINEcokah5DvvYThDO58s2hpxaJ7bZAyjKHlZCDcvsM1qiwDnPC5okpA+mXSGxxo0a15q3gBv5RY+RlnxpXp0AUcZrkiihwlZVs2eCWX2z6i2hTs/3vOm8RJZMU92FB3Kauq57fh0IkMFCHVLyBIyYgTz/1W9Qj2O4qW0iqKteig/LN2jRUNdqQjWCE63FcOpxU4lE8xfodxOwId+m18IsI5IJwNr1PIQC/+1JxAxxQNfuOQ5DbNmnxnQlA3X+0xz7sMQVzMX+Dqfhyzx4go50L/N9Rgxz9SlduptMChyheAH1AXMqRDSWKFnu+46nxQDNV7gmdHejfVzw7IJsMx69KjjNZf3te95qCIDxOQvKXoQIN8VFjCtqWldb6zDnQvNJfYFMOT5Vf778GR7thUiZcxEq6UPYe9oEyFb8489tiB3YsCYYkLyh/LfzloocFDKLXpuztm/FUWq7Nab+rYwE+c9fcOp0FSu47exdyov3p927VG1xv8WLvMw0YsBqco7yAVzaaMZPYVB+JFrLPgtTmwWAfvriRvaaxlkkHSBTsmitvR0D3qU=', 'https://skins.example.org/textures/f18f651550ee4e9c56e9c9f891cb23557f975ef0da54888f0c8217013988c855', '0.1.0', '52bdcdfc665f652a', 'skinsmith', '3', 1759320000000, 12, '6f8857107c8c50c1154d823734f3b30d69d7d0436013274ab241c1763a179b38', 'https://skins.example.org/textures/6f8857107c8c50c1154d823734f3b30d69d7d0436013274ab241c1763a179b38');
insert into "skins" ("id", "uuid", "owner", "identity", "name", "visibility", "views", "created_at", "hidden_from", "likes") overriding system value values (1, 'fbae7a59c7fcdb5909887073699b7ede', 'user:3178d5c42848235aff57660f417325ee', '482767c3597e3acf070c29f21b99874565e5c97ac30dff4b69bc0cd81171142c', 'Steel Smith', 'public', 7, 1759320060000, null, 1);
insert into "skins" ("id", "uuid", "owner", "identity", "name", "visibility", "views", "created_at", "hidden_from", "likes") overriding system value values (2, 'ea533e0b0b11da95a942cf3f87aa3240', 'user:3178d5c42848235aff57660f417325ee', '7a105407baa39ddb07fbe804e1b9819652b0b21591a3d8da83e5b309dc14b52f', null, 'unlisted', 0, 1759320060000, null, 0);
insert into "skins" ("id", "uuid", "owner", "identity", "name", "visibility", "views", "created_at", "hidden_from", "likes") overriding system value values (3, 'e4d843a19426b62b3d3378cca0fab3b8', 'user:3178d5c42848235aff57660f417325ee', 'd1c805243e4ef6d6f485398a6bd5a11f09891a308396743cff5887117a20b815/user:3178d5c42848235aff57660f417325ee', 'Secret "it''s" Ä 💎', 'private', 0, 1759320060000, null, 0);
insert into "skins" ("id", "uuid", "owner", "identity", "name", "visibility", "views", "created_at", "hidden_from", "likes") overriding system value values (4, '7c8cf2c567480f5d209042e439fca204', 'user:6e1b0e56f1a37053b4afeb9e144d8364', '482767c3597e3acf070c29f21b99874565e5c97ac30dff4b69bc0cd81171142c', 'Copper Smith', 'public', 0, 1759320060000, null, 0);
insert into "skins" ("id", "uuid", "owner", "identity", "name", "visibility", "views", "created_at", "hidden_from", "likes") overriding system value values (5, 'fe91d0957cca15934122d5ffe5247e86', 'user:6e1b0e56f1a37053b4afeb9e144d8364', '3418368660770b564dc0cab5552ba95f0ee62d2f1be3bdbebb7f8f6b04684f03/user:6e1b0e56f1a37053b4afeb9e144d8364', 'Rude', 'private', 0, 1759320060000, 'public', 0);
insert into "skins" ("id", "uuid", "owner", "identity", "name", "visibility", "views", "created_at", "hidden_from", "likes") overriding system value values (6, 'd185681d18ddc47f2e9f647eab63fea7', 'user:3178d5c42848235aff57660f417325ee', 'e8538251eb2918c076da7fd742bad25a238aedcf6d17bcc093a997e0d7610960', 'Caped', 'public', 0, 1759320060000, null, 0);
insert into "skins" ("id", "uuid", "owner", "identity", "name", "visibility", "views", "created_at", "hidden_from", "likes") overriding system value values (7, '38e90fc8f53e09a022c4994f5b2c2182', 'address:37fcff24bf62035b2b08020afc08b4fe', '280cdd5810b6404f24d396453d605d1df9f589cc09af01f3b1bff2a5736da3fe', null, 'public', 0, 1759320060000, null, 0);
insert into "skin_words" ("word", "skin_id") overriding system value values ('aped', 6);
insert into "skin_words" ("word", "skin_id") overriding system value values ('caped', 6);
insert into "skin_words" ("word", "skin_id") overriding system value values ('copper', 4);
insert into "skin_words" ("word", "skin_id") overriding system value values ('cret', 3);
insert into "skin_words" ("word", "skin_id") overriding system value values ('d', 6);
insert into "skin_words" ("word", "skin_id") overriding system value values ('de', 5);
insert into "skin_words" ("word", "skin_id") overriding system value values ('e', 5);
insert into "skin_words" ("word", "skin_id") overriding system value values ('ecret', 3);
insert into "skin_words" ("word", "skin_id") overriding system value values ('ed', 6);
insert into "skin_words" ("word", "skin_id") overriding system value values ('eel', 1);
insert into "skin_words" ("word", "skin_id") overriding system value values ('el', 1);
insert into "skin_words" ("word", "skin_id") overriding system value values ('er', 4);
insert into "skin_words" ("word", "skin_id") overriding system value values ('et', 3);
insert into "skin_words" ("word", "skin_id") overriding system value values ('h', 1);
insert into "skin_words" ("word", "skin_id") overriding system value values ('h', 4);
insert into "skin_words" ("word", "skin_id") overriding system value values ('it', 3);
insert into "skin_words" ("word", "skin_id") overriding system value values ('ith', 1);
insert into "skin_words" ("word", "skin_id") overriding system value values ('ith', 4);
insert into "skin_words" ("word", "skin_id") overriding system value values ('l', 1);
insert into "skin_words" ("word", "skin_id") overriding system value values ('mith', 1);
insert into "skin_words" ("word", "skin_id") overriding system value values ('mith', 4);
insert into "skin_words" ("word", "skin_id") overriding system value values ('opper', 4);
insert into "skin_words" ("word", "skin_id") overriding system value values ('ped', 6);
insert into "skin_words" ("word", "skin_id") overriding system value values ('per', 4);
insert into "skin_words" ("word", "skin_id") overriding system value values ('pper', 4);
insert into "skin_words" ("word", "skin_id") overriding system value values ('r', 4);
insert into "skin_words" ("word", "skin_id") overriding system value values ('ret', 3);
insert into "skin_words" ("word", "skin_id") overriding system value values ('rude', 5);
insert into "skin_words" ("word", "skin_id") overriding system value values ('s', 3);
insert into "skin_words" ("word", "skin_id") overriding system value values ('secret', 3);
insert into "skin_words" ("word", "skin_id") overriding system value values ('smith', 1);
insert into "skin_words" ("word", "skin_id") overriding system value values ('smith', 4);
insert into "skin_words" ("word", "skin_id") overriding system value values ('steel', 1);
insert into "skin_words" ("word", "skin_id") overriding system value values ('t', 3);
insert into "skin_words" ("word", "skin_id") overriding system value values ('teel', 1);
insert into "skin_words" ("word", "skin_id") overriding system value values ('th', 1);
insert into "skin_words" ("word", "skin_id") overriding system value values ('th', 4);
insert into "skin_words" ("word", "skin_id") overriding system value values ('ude', 5);
insert into "skin_views" ("skin_id", "viewer", "hour") overriding system value values (1, 'd35ca5051b82ffc326a3b0b6574a9a3161dee16b9478a199ee39cd803ce5b799', 488700);
insert into "skin_tags" ("tag", "skin_id") overriding system value values ('blacksmith', 1);
insert into "skin_tags" ("tag", "skin_id") overriding system value values ('steel', 1);
insert into "skin_likes" ("skin_id", "owner") overriding system value values (1, 'user:6e1b0e56f1a37053b4afeb9e144d8364');
insert into "skin_days" ("skin_id", "day", "views") overriding system value values (1, 20362, 7);
insert into "sets" ("id", "uuid", "owner", "name", "slug", "namespace", "visibility", "created_at", "changed_at", "hidden_from") overriding system value values (1, '356f67d823dac000b65e302c4d818c25', 'user:3178d5c42848235aff57660f417325ee', 'Royal Guards', 'royal-guards', 'royal-guards', 'public', 1759320000000, 1759320060000, null);
insert into "sets" ("id", "uuid", "owner", "name", "slug", "namespace", "visibility", "created_at", "changed_at", "hidden_from") overriding system value values (2, '4e117345da3166970b2cd65d874f9f20', 'user:6e1b0e56f1a37053b4afeb9e144d8364', 'Rude', 'rude', 'rude', 'private', 1759320000000, 1759320060000, 'public');
insert into "set_skins" ("set_id", "skin_id", "position", "pack_id") overriding system value values (1, 1, 1, 'guard-3f9a1c');
insert into "set_skins" ("set_id", "skin_id", "position", "pack_id") overriding system value values (1, 4, 0, 'guard');
insert into "set_skins" ("set_id", "skin_id", "position", "pack_id") overriding system value values (2, 1, 0, null);
insert into "set_names" ("slug", "owner", "set_id") overriding system value values ('gone', null, null);
insert into "set_names" ("slug", "owner", "set_id") overriding system value values ('guards', 'user:3178d5c42848235aff57660f417325ee', 1);
insert into "set_names" ("slug", "owner", "set_id") overriding system value values ('royal-guards', 'user:3178d5c42848235aff57660f417325ee', 1);
insert into "set_names" ("slug", "owner", "set_id") overriding system value values ('rude', 'user:6e1b0e56f1a37053b4afeb9e144d8364', 2);
insert into "capes" ("uuid", "alias", "texture_hash", "support", "created_at") overriding system value values ('0ed2fa2539de546945afee750df626e1', 'Violet', '6f8857107c8c50c1154d823734f3b30d69d7d0436013274ab241c1763a179b38', 'public', 1759320000000);
insert into "capes" ("uuid", "alias", "texture_hash", "support", "created_at") overriding system value values ('d9298a10d1b0735837dc4bd85dac641b', 'Hidden', '4b2d8d7b94bc7f161b93cccb5cb60848614f30ff30466e9f44a8f0ed9ec68c4b', 'none', 1759320000000);
insert into "wardrobe" ("name", "spelling", "player_id", "owner", "skin_uuid", "texture_hash", "variant", "cape_hash", "value", "signature", "changed_at") overriding system value values ('reserved', 'Reserved', '06104217529b3d4693a9ceead951c9e6', 'user:6e1b0e56f1a37053b4afeb9e144d8364', null, null, null, null, null, null, 1759320060000);
insert into "wardrobe" ("name", "spelling", "player_id", "owner", "skin_uuid", "texture_hash", "variant", "cape_hash", "value", "signature", "changed_at") overriding system value values ('steve_1', 'Steve_1', 'ed378328805a3b9a940a29bd82fbcf20', 'user:3178d5c42848235aff57660f417325ee', 'd185681d18ddc47f2e9f647eab63fea7', 'f18f651550ee4e9c56e9c9f891cb23557f975ef0da54888f0c8217013988c855', 'classic', '6f8857107c8c50c1154d823734f3b30d69d7d0436013274ab241c1763a179b38', 'eyJ0aW1lc3RhbXAiOjE3NTkzMjAwMDAwMDAsInByb2ZpbGVJZCI6IjU0OTQyYmMwMGJiNjA1ZmQ4MzEzNjgyNGJmZTI5MjYwIiwicHJvZmlsZU5hbWUiOiJza2luc21pdGgiLCJzaWduYXR1cmVSZXF1aXJlZCI6dHJ1ZSwidGV4dHVyZXMiOnsiU0tJTiI6eyJ1cmwiOiJodHRwczovL3NraW5zLmV4YW1wbGUub3JnL3RleHR1cmVzL2YxOGY2NTE1NTBlZTRlOWM1NmU5YzlmODkxY2IyMzU1N2Y5NzVlZjBkYTU0ODg4ZjBjODIxNzAxMzk4OGM4NTUifSwiQ0FQRSI6eyJ1cmwiOiJodHRwczovL3NraW5zLmV4YW1wbGUub3JnL3RleHR1cmVzLzZmODg1NzEwN2M4YzUwYzExNTRkODIzNzM0ZjNiMzBkNjlkN2QwNDM2MDEzMjc0YWIyNDFjMTc2M2ExNzliMzgifX19', 'K6a606ZH/ntim0QyqrO1GJ/vHMjXkueep6Gqzdn5SxGaB8llNhZ72Ob/+Sd+9eqPzM63WWgO0bdlbID6EaIQN5q/0AM3Uc8a2wdKJWDNY8QncJvT6r/IrLmINEcokah5DvvYThDO58s2hpxaJ7bZAyjKHlZCDcvsM1qiwDnPC5okpA+mXSGxxo0a15q3gBv5RY+RlnxpXp0AUcZrkiihwlZVs2eCWX2z6i2hTs/3vOm8RJZMU92FB3Kauq57fh0IkMFCHVLyBIyYgTz/1W9Qj2O4qW0iqKteig/LN2jRUNdqQjWCE63FcOpxU4lE8xfodxOwId+m18IsI5IJwNr1PIQC/+1JxAxxQNfuOQ5DbNmnxnQlA3X+0xz7sMQVzMX+Dqfhyzx4go50L/N9Rgxz9SlduptMChyheAH1AXMqRDSWKFnu+46nxQDNV7gmdHejfVzw7IJsMx69KjjNZf3te95qCIDxOQvKXoQIN8VFjCtqWldb6zDnQvNJfYFMOT5Vf778GR7thUiZcxEq6UPYe9oEyFb8489tiB3YsCYYkLyh/LfzloocFDKLXpuztm/FUWq7Nab+rYwE+c9fcOp0FSu47exdyov3p927VG1xv8WLvMw0YsBqco7yAVzaaMZPYVB+JFrLPgtTmwWAfvriRvaaxlkkHSBTsmitvR0D3qU=', 1759320000000);
insert into "wardrobe_history" ("id", "name", "at", "changed_by", "skin_uuid", "texture_hash", "cape_hash") overriding system value values (1, 'steve_1', 1759320000000, 'user:3178d5c42848235aff57660f417325ee', 'd185681d18ddc47f2e9f647eab63fea7', 'f18f651550ee4e9c56e9c9f891cb23557f975ef0da54888f0c8217013988c855', '6f8857107c8c50c1154d823734f3b30d69d7d0436013274ab241c1763a179b38');
insert into "players" ("id", "name", "identity", "looked_up_at") overriding system value values ('cdb59355f3ba293977fc0945fb85f118', 'notch', '482767c3597e3acf070c29f21b99874565e5c97ac30dff4b69bc0cd81171142c', 1759320000000);
insert into "jobs" ("id", "uuid", "owner", "status", "request_key", "identity", "texture_hash", "variant", "visibility", "name", "skin_uuid", "error_code", "error_message", "attempts", "run_at", "lease_owner", "lease_until", "created_at", "finished_at", "via", "turn", "concurrency", "cape_hash", "burst", "started_at", "idempotency_key", "source") overriding system value values (1, '5ba23c875f8cd6b695e6a994edbf8d85', 'user:3178d5c42848235aff57660f417325ee', 'completed', 'fd59c4cc2090ff73dc94cd0b9ff0ba55e5f7d99e4b8315440b7edb81921cd858', '482767c3597e3acf070c29f21b99874565e5c97ac30dff4b69bc0cd81171142c', '432797cea1436fa29505c28c5e392ac67c05099e70ca44adf35cf05c7fda6727', 'classic', 'public', 'Steel Smith', 'fbae7a59c7fcdb5909887073699b7ede', null, null, 1, 1759320000000, null, null, 1759320000000, 1759320060000, 'queue', 1.5, 2, null, 3, 1759320000000, 'the first of all', 'steel "smith''s".png');
insert into "jobs" ("id", "uuid", "owner", "status", "request_key", "identity", "texture_hash", "variant", "visibility", "name", "skin_uuid", "error_code", "error_message", "attempts", "run_at", "lease_owner", "lease_until", "created_at", "finished_at", "via", "turn", "concurrency", "cape_hash", "burst", "started_at", "idempotency_key", "source") overriding system value values (2, '7c6e8c1cfc579aa385312e0ec0eab928', 'user:6e1b0e56f1a37053b4afeb9e144d8364', 'failed', 'b6c4217b8ca51855995b459641263722c45013efc95ca2f99184bccdfdf92607', '1a5b87ce6fbf38c2a4acecc87460ec0cfdad8f2fd7226a7f4fe4133f7d8500fe', '6de4d4ceaf2ab98cd41ffa34079120ce038f19b015473601226423eeaec526e5', 'classic', 'public', null, null, 'job_failed', 'It "failed", Ä 💎', 3, 1759320000000, null, null, 1759320000000, 1759320060000, 'queue', 2.5, 2, null, 3, 1759320000000, null, 'https://pictures.example.org/7.png');
insert into "jobs" ("id", "uuid", "owner", "status", "request_key", "identity", "texture_hash", "variant", "visibility", "name", "skin_uuid", "error_code", "error_message", "attempts", "run_at", "lease_owner", "lease_until", "created_at", "finished_at", "via", "turn", "concurrency", "cape_hash", "burst", "started_at", "idempotency_key", "source") overriding system value values (3, '0c0a3f0832797134626def352ef54777', 'user:3178d5c42848235aff57660f417325ee', 'waiting', '9c95b643661a0a2985515efe155326e80a473c5650d754f16ba7140e480efa85', '5e47e3a68e11d68369a7eb2b9638bf700578aecf77926a4f7572938c3bb8a8ad', '2162b63be23d4aa67abf787eff288bb69879df709e7186c62edd0496ad0ad6d8', 'classic', 'public', 'Waiting', null, null, null, 0, 1759320000000, null, null, 1759320000000, null, 'queue', 3.5, 2, null, 3, null, null, 'waiting.png');
insert into "jobs" ("id", "uuid", "owner", "status", "request_key", "identity", "texture_hash", "variant", "visibility", "name", "skin_uuid", "error_code", "error_message", "attempts", "run_at", "lease_owner", "lease_until", "created_at", "finished_at", "via", "turn", "concurrency", "cape_hash", "burst", "started_at", "idempotency_key", "source") overriding system value values (4, '05f2e7612d4aee29c49f5113ab58fa37', 'user:3178d5c42848235aff57660f417325ee', 'processing', '85e3ce8ea421f6cc15c9d09a12198c067849f6a736337b7d6a9ca55568c206f4', '1022b644774d657c8794742a2789e2aebda833ea81a674301cca440b6e88bef4', '2258104d1de3b8fbff99882f5c1cbc009e4777505dbe0505bb42222f563fbdf5', 'classic', 'unlisted', null, null, null, null, 1, 1759320000000, 'elsewhere/7/0011aabbccdd#0', 1759320060000, 1759320000000, null, 'queue', 4.5, 2, null, 3, 1759320000000, null, null);
insert into "jobs" ("id", "uuid", "owner", "status", "request_key", "identity", "texture_hash", "variant", "visibility", "name", "skin_uuid", "error_code", "error_message", "attempts", "run_at", "lease_owner", "lease_until", "created_at", "finished_at", "via", "turn", "concurrency", "cape_hash", "burst", "started_at", "idempotency_key", "source") overriding system value values (5, '684131a4607fd3724158f123d24e6fe1', 'user:6e1b0e56f1a37053b4afeb9e144d8364', 'waiting', 'db25d45efc28ed031fcd9ef1a56457166dd1141cc27a85ed77be1a64cc975d55', 'e8a08a7eeda8b16be21563af91db7e340ed23cd0aec1f12b8d9f56d62a190212', '68b8058ad443fa21ac806159ad37befc1b14bb4ac2d4f6bec828499d3ed32950', 'classic', 'public', null, null, null, null, 1, 1759320060000, null, null, 1759320000000, null, 'queue', 5.5, 2, '6f8857107c8c50c1154d823734f3b30d69d7d0436013274ab241c1763a179b38', 3, null, 'later', null);
insert into "jobs" ("id", "uuid", "owner", "status", "request_key", "identity", "texture_hash", "variant", "visibility", "name", "skin_uuid", "error_code", "error_message", "attempts", "run_at", "lease_owner", "lease_until", "created_at", "finished_at", "via", "turn", "concurrency", "cape_hash", "burst", "started_at", "idempotency_key", "source") overriding system value values (6, '8ea5fc284a2aa2540bfc6fe28f12fb24', 'user:6e1b0e56f1a37053b4afeb9e144d8364', 'processing', 'bf384b654eec9cf357785c376845c5c373fcc09f111e7d16a32327c4bcc72dbb', '1882b6045adae063d2110d0d44f528dbafd4820d41953c749dede133fb8468a6/user:6e1b0e56f1a37053b4afeb9e144d8364', '6c18bf51269761497538328973bcdb447ac940eccf248e8ac920e575b8051185', 'classic', 'private', null, null, null, null, 1, 1759320000000, 'elsewhere/7/0011aabbccdd#1', 1759320060000, 1759320000000, null, 'v1', 6.5, 2, null, 3, 1759320000000, null, null);
insert into "idempotency_keys" ("owner", "key", "job_id") overriding system value values ('user:3178d5c42848235aff57660f417325ee', 'joined', 3);
insert into "idempotency_keys" ("owner", "key", "job_id") overriding system value values ('user:3178d5c42848235aff57660f417325ee', 'the first of all', 1);
insert into "idempotency_keys" ("owner", "key", "job_id") overriding system value values ('user:6e1b0e56f1a37053b4afeb9e144d8364', 'later', 5);
insert into "callbacks" ("id", "uuid", "job_id", "key_id", "url", "host", "attempts", "run_at", "lease_owner", "created_at", "done_at") overriding system value values (1, 'a73c9eab060972d1279253d774289ef5', 1, '410b539125131620cb8bbeb7', 'http://127.0.0.1:9/hook/1', '127.0.0.1:9', 1, 1759320060000, null, 1759320000000, 1759320060000);
insert into "callbacks" ("id", "uuid", "job_id", "key_id", "url", "host", "attempts", "run_at", "lease_owner", "created_at", "done_at") overriding system value values (2, 'ec58019bd43fbda42284fb0e92448a51', 2, '88b55d5ac22220b2254edd78', 'http://127.0.0.1:9/hook/2', '127.0.0.1:9', 2, 1759320060000, 'elsewhere/7/0011aabbccdd', 1759320000000, null);
insert into "callbacks" ("id", "uuid", "job_id", "key_id", "url", "host", "attempts", "run_at", "lease_owner", "created_at", "done_at") overriding system value values (3, '2b7dd37164a8a413cbc7a8edd7eaf411', 3, '410b539125131620cb8bbeb7', 'http://127.0.0.1:9/hook/3', '127.0.0.1:9', 0, null, null, 1759320000000, null);
insert into "callers" ("owner", "turn", "spent_at", "generated_at", "minute", "hour", "processing", "burst") overriding system value values ('address:37fcff24bf62035b2b08020afc08b4fe', 1, 1759320000000, 0, '[[1759320000,2]]', '[[29322000,2]]', 0, 1000);
insert into "callers" ("owner", "turn", "spent_at", "generated_at", "minute", "hour", "processing", "burst") overriding system value values ('user:3178d5c42848235aff57660f417325ee', 4.5, 1759320000000, 0, '[[1759320000,2]]', '[[29322000,2]]', 1, 3);
insert into "callers" ("owner", "turn", "spent_at", "generated_at", "minute", "hour", "processing", "burst") overriding system value values ('user:6e1b0e56f1a37053b4afeb9e144d8364', 6.25, 1759320000000, 1759320000000, '[[1759320000,2]]', '[[29322000,2]]', 1, 3);
insert into "queue_clock" ("id", "turn") overriding system value values (1, 1.5);
insert into "upstream_jobs" ("identity", "job_id", "idempotency_key", "mark", "submitted_at", "sender", "sending_until", "settles_at") overriding system value values ('1581e27de87bffae0bd4d745cd7964e68528d7a83e2e4c259a782d275df6f558', 'f648d50848a530af353f9b47526f9a86', 'sent', 1759320000000, 1759320000000, 'elsewhere/7/0011aabbccdd#2', 1759320060000, 1759320060000);
insert into "game_accounts" ("uuid", "name", "state", "secret", "original_url", "original_variant", "restores", "shows_cape", "altered", "cape_checked_at", "last_used_at", "cool_until", "error_streak", "last_error_code", "last_error_message", "last_error_at", "generated", "failed", "linked_at", "lease_owner", "lease_until", "owner", "shared") overriding system value values ('297fa03ced0b0de4014e5ffee0f640f9', 'Anvil', 'needs_login', 'v1.dC7e9awKrWrPrYXy.B3WtQblmaSkv29sFU1sNYQ.b8M15J9N8gMrcNcMUgaRTKyDjh5fP9ES9l3UompJ0lDNKEOQ8tdyFRWC1XPoxtfLM83b', null, null, 0, 1, 1, 1759320000000, 1759320000000, 1759320060000, 3, 'needs_login', 'Sign in "again"', 1759320060000, 9, 2, 1759320000000, 'elsewhere/7/0011aabbccdd#3', 1759320060000, 'user:3178d5c42848235aff57660f417325ee', 0);
insert into "game_accounts" ("uuid", "name", "state", "secret", "original_url", "original_variant", "restores", "shows_cape", "altered", "cape_checked_at", "last_used_at", "cool_until", "error_streak", "last_error_code", "last_error_message", "last_error_at", "generated", "failed", "linked_at", "lease_owner", "lease_until", "owner", "shared") overriding system value values ('8899ecd1626db63dd12b9c57879efda7', 'Forge', 'active', 'v1.lvSuCQVY1gwqnzZS.VO9wHeICwXLWNKxJLOj-Tg.vUDBaVyj19-CBXlMqmmuqc-Ika-pAO3NFsEPOiqMQMvyZBaYVEOfyGb2vsWvx0DqqJ2H', 'http://textures.example.org/texture/6c819e5efedb6286105406000aa9a142e723edb289f0d40fa595b6159ca5385b', 'slim', 1, 1, 0, 1759320000000, 1759320000000, 1759320060000, 0, null, null, null, 9, 2, 1759320000000, null, null, 'user:3178d5c42848235aff57660f417325ee', 1);
insert into "reports" ("id", "kind", "subject", "reporter", "reason", "text", "created_at", "closed_at") overriding system value values (1, 'skin', 'fe91d0957cca15934122d5ffe5247e86', 'user:6e1b0e56f1a37053b4afeb9e144d8364', 'offensive', 'look: "Ä" 💎', 1759320000000, 1759320060000);
insert into "reports" ("id", "kind", "subject", "reporter", "reason", "text", "created_at", "closed_at") overriding system value values (2, 'skin', 'fbae7a59c7fcdb5909887073699b7ede', 'user:6e1b0e56f1a37053b4afeb9e144d8364', 'copyright', 'look: "Ä" 💎', 1759320000000, null);
insert into "blocked_images" ("hash", "note", "blocked_by", "blocked_at") overriding system value values ('2b92d7e0f0f4712480f1c161701b2bdfe6e16ad36d3218faa6a63bada0d43b4f', 'not "here"', 'owner', 1759320000000);
insert into "operator_log" ("id", "at", "operator", "action", "subject", "note") overriding system value values (1, 1759320000000, 'owner', 'hide_skin', 'fe91d0957cca15934122d5ffe5247e86', 'it''s "rude"');
insert into "operator_log" ("id", "at", "operator", "action", "subject", "note") overriding system value values (2, 1759320000000, 'owner', 'disable_user', 'fay', '');
insert into "nodes" ("id", "version", "started_at", "seen_at") overriding system value values ('elsewhere/7/0011aabbccdd', '0.0.9', 1759320000000, 1759320060000);
insert into "chores" ("name", "due_at", "lease_owner", "lease_until") overriding system value values ('prune', 1759320060000, 'elsewhere/7/0011aabbccdd', 1759320060000);
select setval(pg_get_serial_sequence('skins', 'id'), 12);
select setval(pg_get_serial_sequence('sets', 'id'), 7);
select setval(pg_get_serial_sequence('jobs', 'id'), 11);
select setval(pg_get_serial_sequence('callbacks', 'id'), 8);
select setval(pg_get_serial_sequence('reports', 'id'), 7);
select setval(pg_get_serial_sequence('operator_log', 'id'), 7);
select setval(pg_get_serial_sequence('wardrobe_history', 'id'), 6);
commit;
