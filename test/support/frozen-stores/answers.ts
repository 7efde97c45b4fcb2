import { expect } from 'vitest';
import { shortFingerprint } from '../../../src/base/text.ts';
import { isSignedBy, parsePublicKey } from '../../../src/textures/signing-key.ts';
import { dataUrl, skinPng } from '../server/drawn-skins.ts';
import { jobAt } from '../server/job-at.ts';
import { expectRefusal, TestCaller } from '../server/test-caller.ts';
import { Askers, listIn, skinOf } from './askers.ts';
import type { Contents, PlainRow } from './contents.ts';
import { jobUuid } from './rows/job-rows.ts';
import { PICTURES, skinUuid } from './rows/skin-rows.ts';
import { IDEMPOTENCY_KEY } from './secrets.ts';

/**
 * Asks a server for everything in a frozen store that the API shows, as its owners. What had not
 * ended ends.
 */
export async function expectAnswers(url: string, store: Contents): Promise<void> {
  const askers = new Askers(url, store);
  await expectSkins(askers);
  await expectJobs(askers);
  await expectTextures(askers);
  for (const [path, field, rows] of listsOf(askers)) await expectListed(askers, { path, field, rows });
  expectRefusal(await askers.named('fay').get('/v2/me'), 'invalid_api_key'); // she was disabled
  await expectKnown(askers);
}

async function expectSkins(askers: Askers): Promise<void> {
  const { body } = await new TestCaller(askers.url).get('/');
  const pem = body.signaturePublickey ?? '';
  expect(askers.rows('meta')).toContainEqual({ key: 'signing-key', value: shortFingerprint(pem) });
  for (const skin of askers.rows('skins')) {
    const heard = await askers.owning(skin).get(`/v2/skins/${skin['uuid']}`);
    expect(heard.body.skin).toMatchObject(skinOf(askers, skin));
    const { value = '', signature = '' } = heard.body.skin?.texture.data ?? {};
    expect(isSignedBy(parsePublicKey(pem), value, signature)).toBe(true);
  }
  const found = await new TestCaller(askers.url).get('/v2/skins?filter=smith');
  expect(found.body.skins?.map(({ uuid }) => uuid)).toEqual([skinUuid(4), skinUuid(1)]);
}

async function expectJobs(askers: Askers): Promise<void> {
  for (const { uuid, status, skin_uuid, error_code, error_message, source, ...job } of askers.rows('jobs')) {
    const isFailed = status === 'failed';
    const heard = await jobAt(askers.owning(job), String(uuid), isFailed ? 'failed' : 'completed');
    expect(heard.body.job).toMatchObject({
      ...{ id: uuid, timestamp: job['created_at'] },
      ...(skin_uuid !== null && { result: skin_uuid }),
      ...(source !== null && { source }),
    });
    expect(heard.body.errors).toEqual(isFailed ? [{ code: error_code, message: error_message }] : undefined);
    if (!isFailed) expect(heard.body.skin?.texture.hash.skin).toBe(job['texture_hash']);
  }
}

/** Pictures of failed jobs have no owner. */
async function expectTextures(askers: Askers): Promise<void> {
  const failed = askers.rows('jobs').filter(({ status }) => status === 'failed');
  const unused = new Set(failed.map(({ texture_hash }) => texture_hash));
  for (const { hash, png } of askers.rows('textures')) {
    if (unused.has(hash ?? null)) continue;
    const { bytes } = await new TestCaller(askers.url).get(`/textures/${hash}`);
    expect(bytes.toString('hex')).toBe(png);
  }
}

const at = (moment: PlainRow[string] | undefined) => new Date(Number(moment)).toISOString();

type List = readonly [path: string, field: string, rows: readonly object[]];

/** What the operator finds in lists. */
function listsOf(askers: Askers): readonly List[] {
  const users = askers.rows('users');
  const idOf = new Map(users.map(({ id, name }) => [name, id]));
  const keysOf = (name: PlainRow[string]) =>
    askers.rows('api_keys').filter((key) => key['user_id'] === idOf.get(name) && key['revoked_at'] === null);
  return [
    ['/v2/account/users', 'users', users.map(userView)],
    ...users.map(
      ({ name = '' }): List => [`/v2/account/keys?user=${name}`, 'keys', keysOf(name).map(keyView)],
    ),
    ['/v2/account/identities?user=dora', 'identities', askers.rows('identities').map(identityView)],
    ['/v2/account/capes', 'capes', askers.rows('capes').map(capeView)],
    ['/v2/sets', 'sets', askers.rows('sets').filter(isPublic).map(setView)],
    ['/v2/account/accounts', 'accounts', askers.rows('game_accounts').map(accountView)],
    ...(['open', 'closed'] as const).map((state): List => {
      const rows = askers
        .rows('reports')
        .filter(({ closed_at }) => (closed_at === null) === (state === 'open'));
      return [`/v2/account/reports?state=${state}`, 'reports', rows.map(reportView)];
    }),
    ['/v2/account/blocked-images', 'images', askers.rows('blocked_images').map(blockedView)],
    ['/v2/account/log', 'entries', askers.rows('operator_log').map(actView)],
  ];
}

function userView({ id, name, role, plan, created_at, disabled_at }: PlainRow): object {
  const disabled = disabled_at !== null && { disabledAt: at(disabled_at) };
  return { id, name, role, plan, createdAt: at(created_at), ...disabled };
}

function keyView(key: PlainRow): object {
  const list = (column: string): unknown => JSON.parse(String(key[column]));
  const { id, name, last4, generations, v2_compat } = key;
  return {
    ...{ id, name, last4, generations, createdAt: at(key['created_at']), v2Compat: v2_compat === 1 },
    ...{ scopes: list('scopes'), allowedIps: list('allowed_ips') },
    ...{ allowedOrigins: list('allowed_origins'), allowedAgents: list('allowed_agents') },
  };
}

function identityView({ issuer, subject, created_at }: PlainRow): object {
  return { issuer, subject, createdAt: at(created_at) };
}

function capeView({ alias, texture_hash, support }: PlainRow): object {
  return { alias, hash: texture_hash, support };
}

function isPublic({ visibility }: PlainRow): boolean {
  return visibility === 'public';
}

function setView({ uuid, name, slug, created_at: createdAt, changed_at: changedAt }: PlainRow): object {
  return { uuid, name, slug, createdAt, changedAt };
}

function accountView(row: PlainRow): object {
  const { uuid, name, state, error_streak, generated, failed, last_error_code: code } = row;
  return {
    ...{ uuid, name, user: 'dora', state, errorStreak: error_streak, generated, failed },
    ...{ share: row['shared'] === 1, restore: row['restores'] === 1, capes: row['shows_cape'] === 1 },
    ...(code !== null && {
      lastError: { code, message: row['last_error_message'], at: at(row['last_error_at']) },
    }),
  };
}

function reportView({ id, subject, reason, text, created_at }: PlainRow): object {
  return { id: String(id), skin: subject, reason, text, createdAt: at(created_at) };
}

function blockedView({ hash, note, blocked_by, blocked_at }: PlainRow): object {
  return { hash, note, blockedBy: blocked_by, blockedAt: at(blocked_at) };
}

function actView({ id, at: moment, operator, action, subject, note }: PlainRow): object {
  return { id: String(id), at: at(moment), operator, action, subject, note };
}

async function expectListed(
  askers: Askers,
  { path, field, rows }: { path: string; field: string; rows: readonly object[] },
): Promise<void> {
  const listed = listIn(await askers.named('owner').get(path), field);
  const expected = rows.map((row) => expect.objectContaining(row) as unknown);
  expect(listed, path).toEqual(expect.arrayContaining(expected));
}

/** A repeated request gets the same answer, and known pictures stay known. */
async function expectKnown(askers: Askers): Promise<void> {
  const first = { url: dataUrl(skinPng(PICTURES + 1)), variant: 'classic' };
  const named = { ...first, name: 'Steel Smith' };
  const again = await askers.named('dora').json('/v2/queue', named, { 'idempotency-key': IDEMPOTENCY_KEY });
  expect([again.status, again.body.job?.id]).toEqual([200, jobUuid(1)]);
  const same = await askers.named('emil').json('/v2/queue', first);
  expect([same.status, same.body.skin?.uuid]).toEqual([200, skinUuid(4)]);
}
