import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { startSession } from '../../../src/server/service/sessions.ts';
import { insertAccount } from '../../../src/server/store/accounts.ts';
import { findUserByName } from '../../../src/server/store/sessions.ts';
import type { FakeGame } from '../fake-game/fake-game.ts';
import { FakeProvider } from '../openid/fake-provider.ts';
import { runAccountServer } from '../server/account-server.ts';
import { addCape } from '../server/drawn-capes.ts';
import { skinPng } from '../server/drawn-skins.ts';
import { linkIdentity } from '../server/linked-identity.ts';
import { openOwnStore, type ServerUnderTest } from '../server/running-server.ts';
import { accountRow } from '../server/stored-accounts.ts';
import { pageAddresses } from './addresses.ts';
import { signIn } from './watched-page.ts';

const SKIN_NAME = 'A name of two words';
const SET_NAME = 'A set of many words';
const LONG_TAG = 'a tag as long as the tags may be';

/** What people wrote in the scene, where it stands alone on a page or in its title. */
export const WRITTEN = new RegExp(`^(?:${SKIN_NAME}|${SET_NAME}|${LONG_TAG})(?: · skinsmith)?$`);

export interface Scene {
  readonly server: ServerUnderTest;
  /** Of all pages that have one. */
  readonly addresses: readonly string[];
  readonly game: FakeGame;
}

/** A service in which every page has something to show. */
export async function openScene(): Promise<Scene> {
  const provider = await FakeProvider.start();
  provider.claims = { sub: 'person-2', name: 'A name as long as names may be, and longer' };
  const openId = provider.settings();
  const options = { openId, allowedNetworks: ['127.0.0.0/8'] };
  const { server, fake, link } = await runAccountServer(options);
  const { owner } = server;
  await link(fake.addAccount({ name: 'A_linked_account' }));
  const own = await owner.upload('/v2/generate', skinPng(1), { name: SKIN_NAME });
  await owner.upload('/v2/generate', skinPng(1), { name: 'Slim', variant: 'slim' });
  const ann = await server.user('ann');
  const other = await ann.upload('/v2/generate', skinPng(2), { name: 'Other' });
  const report = { reason: 'other', text: 'A longer text that tells what is wrong with it' };
  await owner.json(`/v2/skins/${other.body.skin?.uuid}/report`, report);
  await owner.json('/v2/account/blocked-images', { hash: 'a'.repeat(64), note: 'never again' });
  await addCape(server, 'red');
  await fillAccount(server);
  const job = (await owner.upload('/v2/queue', skinPng(1))).body.job?.id ?? '';
  const uuid = own.body.skin?.uuid ?? '';
  await owner.patch(`/v2/skins/${uuid}`, {
    tags: ['black smith', LONG_TAG],
  });
  await ann.json(`/v2/skins/${uuid}/interactions/likes`, {});
  await owner.json('/v2/sets', { name: SET_NAME, skins: [uuid, String(other.body.skin?.uuid)] });
  const addresses = pageAddresses({ uuid, jobId: job, name: 'bert', set: 'a-set-of-many-words' });
  return {
    server,
    game: fake,
    addresses: [...addresses, `/ui/skins/${other.body.skin?.uuid}?use=authlib`, '/ui/nowhere', '/'],
  };
}

/** A job that failed, a key with every option, game accounts, and people who sign in with a provider. */
async function fillAccount(server: ServerUnderTest): Promise<void> {
  const { owner, dataDir } = server;
  const input = {
    allowedIps: ['2001:db8:0:1::/64'],
    allowedOrigins: ['https://skins.example.org'],
    v2Compat: true,
  };
  await owner.json('/v2/account/keys', { name: 'A key with a name of many words that is long', ...input });
  const { db } = await openOwnStore(dataDir);
  const failed = {
    status: 'failed',
    error_code: 'job_failed',
    error_message: 'The game was away for long.',
  } as const;
  await db.updateTable('jobs').set(failed).execute();
  const { id } = (await findUserByName(db, 'owner'))!;
  const error = { last_error_code: 'x', last_error_message: 'The game refused the skin.', last_error_at: 1 };
  const rest = { state: 'paused', last_used_at: 1, ...error } as const;
  await insertAccount(db, accountRow({ owner: `user:${id}`, name: 'A_player_of_16ch', ...rest }));
  await owner.json('/v2/account/users', { name: 'bert' });
  for (const name of ['owner', 'bert']) await linkIdentity(server, name, `${name}.of.many.words@example.org`);
}

/** Opens pages, one after the other: all that have addresses, or some of them. */
export async function* visit(
  { server, addresses: all }: Scene,
  page: Page,
  addresses: readonly string[] = all,
): AsyncGenerator<string> {
  await signIn(page, server);
  for (const address of addresses) {
    const answer = await page.goto(`${server.url}${address}`);
    expect(answer?.status(), address).toBe(address === '/ui/nowhere' ? 404 : 200);
    yield address;
  }
}

/** Signs someone in who has no key, as a provider does it. */
export async function signInWithoutKey(
  page: Page,
  { url, dataDir }: ServerUnderTest,
  name: string,
): Promise<void> {
  const { db } = await openOwnStore(dataDir);
  const { id } = (await findUserByName(db, name))!;
  const value = await startSession({ db, clock: systemClock }, { user_id: id, key_id: null }, { agents: [] });
  await page.context().addCookies([{ name: 'skinsmith', value, url }]);
}
