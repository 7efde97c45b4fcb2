import { SkinClient } from '../../src/index.ts';
import { openStoreOf } from '../../src/server/assembly/service-parts.ts';
import type { RunningServer } from '../../src/server/server.ts';
import { findUserByName, linkSubject } from '../../src/server/store/sessions.ts';
import { makePicture } from '../../src/skin/picture.ts';
import { encodePng } from '../../src/skin/png/encode.ts';
import type { FakeGame } from '../../test/support/fake-game/fake-game.ts';

const DAY = 24 * 3_600_000;
/** The single sign-on provider. */
export const ISSUER = 'https://id.example.org';
/** The client ID for linking game accounts. */
export const CLIENT_ID = '00000000-0000-4000-8000-000000000000';

export interface Place {
  readonly server: RunningServer;
  readonly dataDir: string;
  readonly game: FakeGame;
}

/**
 * Users with their actions, the decisions of operators, and everything that an account can have.
 * @param pictures of three skins that visitors report
 */
export async function fillPeople({ server, game }: Place, pictures: readonly Uint8Array[]): Promise<void> {
  const owner = new SkinClient({ baseUrl: server.url, apiKey: server.key });
  try {
    await fillAccount(owner);
    await fillUsers(owner, server.url, pictures);
    await linkGameAccounts(owner, game);
  } finally {
    await owner.close();
  }
}

async function fillAccount({ account }: SkinClient): Promise<void> {
  await account.createKey({ name: 'Build server', scopes: ['generate'], allowedIps: ['203.0.113.0/24'] });
  await account.createKey({
    name: 'SkinsRestorer',
    scopes: ['read', 'generate'],
    allowedAgents: ['SkinsRestorer'],
    v2Compat: true,
  });
  await account.addCape(drawCape([168, 52, 44], [240, 214, 140]), { alias: 'Winter 2026' });
  await account.addCape(drawCape([40, 90, 130], [230, 236, 240]), { alias: 'Harbour', support: 'none' });
}

async function fillUsers(owner: SkinClient, baseUrl: string, pictures: readonly Uint8Array[]): Promise<void> {
  const { account } = owner;
  const { moderation } = account;
  await account.createUser({ name: 'ann', plan: 'pro' });
  await account.createUser({ name: 'bob' });
  const { secret } = await account.createKey({ user: 'mallory' });
  const mallory = new SkinClient({ baseUrl, apiKey: secret });
  const skins: string[] = [];
  for (const [index, png] of pictures.entries()) {
    const { skin } = await mallory.generate({ file: png }, { name: `Copy ${index + 1}` });
    skins.push(skin.uuid);
  }
  await mallory.close();
  const [copied = '', rude = '', fine = ''] = skins;
  await owner.reportSkin(copied, { reason: 'copyright', text: 'I drew this one; see my page of last year.' });
  await owner.reportSkin(rude, { reason: 'offensive', text: 'Look at its back.' });
  await owner.reportSkin(fine, { reason: 'other', text: '' });
  const reports = (await moderation.reports()).entries;
  const about = (skin: string) => reports.find((one) => one.skin === skin)?.id ?? '';
  await moderation.closeReport(about(fine), { note: 'Nothing wrong with it' });
  await moderation.setHidden(rude, { hidden: true, note: 'Against the rules' });
  await moderation.blockImage({ hash: 'b10c'.repeat(16), note: 'The same picture under many names' });
  await account.setUser('mallory', { disabled: true });
}

/** A shared account that works, and one that rests. */
async function linkGameAccounts({ account: { games } }: SkinClient, game: FakeGame): Promise<void> {
  const token = (name: string) => game.microsoft.refreshToken(game.addAccount({ name }).id, CLIENT_ID);
  await games.link(token('AnvilAnna'), { share: true });
  const { uuid } = await games.link(token('Bellows_Ben'));
  await games.change(uuid, { paused: true });
}

/**
 * Data that needs a provider or a failure, and so cannot be created over HTTP.
 * @returns UUID of a job that failed
 */
export async function fillStore(dataDir: string): Promise<string> {
  const store = await openStoreOf({ dataDir });
  const { db } = store;
  try {
    for (const [name, subject] of [
      ['owner', 'owner@example.org'],
      ['ann', 'ann@example.org'],
    ] as const) {
      const user = await findUserByName(db, name);
      if (user) await linkSubject(db, { issuer: ISSUER, subject }, user, Date.now() - DAY);
    }
    const owned = db
      .selectFrom('jobs')
      .where('owner', '=', `user:${(await findUserByName(db, 'owner'))?.id}`);
    const { uuid } = await owned
      .select('uuid')
      .orderBy('id', 'desc')
      .offset(2)
      .limit(1)
      .executeTakeFirstOrThrow();
    const error = {
      status: 'failed',
      skin_uuid: null,
      error_code: 'skin_change_failed',
      error_message: 'The game did not accept the skin in time.',
    } as const;
    await db.updateTable('jobs').set(error).where('uuid', '=', uuid).execute();
    return uuid;
  } finally {
    await store.close();
  }
}

type Colour = readonly [red: number, green: number, blue: number];

/** A cape with a hem and an emblem. */
function drawCape(cloth: Colour, trim: Colour): Uint8Array {
  const picture = makePicture(64, 32);
  for (let y = 0; y < 17; y++)
    for (let x = 0; x < 22; x++) {
      const isEmblem = x > 3 && x < 9 && y > 4 && y < 11 && (x === 6 || y === 7);
      const isHem = y > 14 || x === 1 || x === 10;
      picture.pixels.set([...(isEmblem || isHem ? trim : cloth), 255], (y * 64 + x) * 4);
    }
  return encodePng(picture);
}
