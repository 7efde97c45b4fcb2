import { describe, expect, test } from 'vitest';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { mostlyOnSqlite, onSqlite } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

async function make(
  caller: TestCaller,
  number: number,
  fields: Record<string, string> = {},
): Promise<string> {
  return String((await caller.upload('/v2/generate', skinPng(number), fields)).body.skin?.uuid);
}

async function runWithSkin() {
  const server = await runServer();
  const [ann, bob] = [await userWithPlan(server, 'ann'), await userWithPlan(server, 'bob')];
  const uuid = await make(ann, 1, { name: 'Smith' });
  return { server, ann, bob, nobody: new TestCaller(server.url), uuid, path: `/v2/skins/${uuid}` };
}

const tagsIn = ({ body }: Heard) => body.skin?.tags?.map(({ tag }) => tag);
const uuidsIn = ({ body }: Heard) => body.skins?.map(({ uuid }) => uuid);

mostlyOnSqlite(describe)('Tags', () => {
  test('are set by the owner, sorted and each once, shown to all, and found', async () => {
    const { ann, nobody, uuid, path } = await runWithSkin();
    const other = await make(ann, 2);
    await ann.patch(`/v2/skins/${other}`, { tags: ['robot'] });
    expect(tagsIn(await ann.patch(path, { tags: ['Robot', 'black smith', 'robot'] }))).toEqual([
      'black smith',
      'robot',
    ]);
    expect((await ann.json(`${path}/tags`, { tag: 'medieval', vote: 'up' })).body.messages).toMatchObject([
      { code: 'vote_added' },
    ]);
    expect((await ann.json(`${path}/tags`, { tag: 'robot', vote: 'down' })).status).toBe(200);
    expect(tagsIn(await nobody.get(path))).toEqual(['black smith', 'medieval']);
    const tags = (await nobody.get(`${path}/tags`)).body.tags;
    expect(tags).toEqual(['black smith', 'medieval'].map((tag) => ({ tag, vote: null, suggested: false })));
    expect((await ann.get(`${path}/tags`)).body.tags?.[0]).toMatchObject({ vote: 'up' });
    expect(uuidsIn(await nobody.get('/v2/skins?tag=medieval'))).toEqual([uuid]);
    expect(uuidsIn(await nobody.get('/v2/skins?tag=robot'))).toEqual([other]);
    expect(uuidsIn(await nobody.get('/v2/skins?tag=robot&filter=smith'))).toEqual([]);
    expect((await ann.json(`${path}/tags`, { tag: 'robot', vote: 'down' })).body.messages).toMatchObject([
      { code: 'already_voted' },
    ]);
  });

  test('are bounded, and only the owner sets them; an operator removes them, which is logged', async () => {
    const { server, ann, bob, nobody, uuid, path } = await runWithSkin();
    const ten = Array.from('abcdefghij');
    await ann.patch(path, { tags: ten });
    expectRefusal(await ann.json(`${path}/tags`, { tag: 'k', vote: 'up' }), 'invalid_request', 400);
    for (const tags of [[...ten, 'k'], ['a/b'], [''], ['x'.repeat(33)], 'a'])
      expectRefusal(await ann.patch(path, { tags }), 'validation_error', 400);
    for (const vote of ['up', 'down'])
      expectRefusal(await bob.json(`${path}/tags`, { tag: 'a', vote }), 'insufficient_grants', 403);
    expectRefusal(await nobody.json(`${path}/tags`, { tag: 'a', vote: 'up' }), 'unauthorized', 401);
    expectRefusal(
      await server.owner.json(`${path}/tags`, { tag: 'k', vote: 'up' }),
      'insufficient_grants',
      403,
    );
    expect((await server.owner.json(`${path}/tags`, { tag: 'a', vote: 'down' })).status).toBe(200);
    expect(tagsIn(await nobody.get(path))).toEqual(ten.slice(1));
    const { entries } = (await server.owner.get('/v2/account/log')).body;
    expect(entries?.[0]).toMatchObject({ action: 'remove_tag', subject: uuid, note: 'a' });
  });

  test('of a private skin lead only its owner to it', async () => {
    const { ann, nobody } = await runWithSkin();
    const uuid = await make(ann, 2, { visibility: 'private' });
    await ann.json(`/v2/skins/${uuid}/tags`, { tag: 'secret', vote: 'up' });
    expect(uuidsIn(await nobody.get('/v2/skins?tag=secret'))).toEqual([]);
    expect(uuidsIn(await ann.get('/v2/me/skins?tag=secret'))).toEqual([uuid]);
    expectRefusal(await nobody.get(`/v2/skins/${uuid}/tags`), 'skin_not_found', 404);
  });
});

mostlyOnSqlite(describe)('Likes', () => {
  test('count each user once, and can be taken back', async () => {
    const { ann, bob, nobody, path } = await runWithSkin();
    const likes = `${path}/interactions/likes`;
    const count = async () => (await nobody.get(path)).body.skin?.likes;
    expect((await bob.json(likes, {})).status).toBe(204);
    expectRefusal(await bob.json(likes, {}), 'already_liked', 409);
    expect((await ann.json(likes, {})).status).toBe(204);
    expect(await count()).toBe(2);
    expect((await nobody.get('/v2/skins')).body.skins?.[0]?.likes).toBe(2);
    for (let n = 0; n < 2; n++) expect((await bob.send('DELETE', likes)).status).toBe(204);
    expect(await count()).toBe(1);
    expectRefusal(await nobody.json(likes, {}), 'unauthorized', 401);
    await ann.patch(path, { visibility: 'private' });
    expectRefusal(await bob.json(likes, {}), 'skin_not_found', 404);
  });
});

mostlyOnSqlite(describe)('Likes and tags on pages', () => {
  const signedIn = async (server: ServerUnderTest, user: string) => {
    const person = new PlainBrowser(server.url);
    const { body } = await server.owner.json('/v2/account/keys', { user, name: 'for pages' });
    await person.signIn(body.key?.secret);
    return person;
  };

  test('can be read by everyone, likes set by signed-in users, and tags set by the owner', async () => {
    const { server, ann, uuid, path } = await runWithSkin();
    const page = `/ui/skins/${uuid}`;
    const [owner, fan, visitor] = [
      await signedIn(server, 'ann'),
      await signedIn(server, 'bob'),
      new PlainBrowser(server.url),
    ];
    const send = async (person: PlainBrowser, form: Record<string, string>, to = `${page}/tags`) => {
      const { status, headers } = await person.open(to, { form });
      return `${status} ${headers.get('location') ?? ''}`.trim();
    };
    expect(await send(owner, { tag: 'Black Smith', vote: 'up' })).toBe(`303 ${page}?saved=yes`);
    expect(await send(owner, { tag: 'robot', vote: 'up' })).toBe(`303 ${page}?saved=yes`);
    expect(await send(owner, { tag: 'a/b', vote: 'up' })).toBe('400');
    expect(await send(fan, { tag: 'mine', vote: 'up' })).toBe('403');
    expect(await send(owner, { tag: 'robot', vote: 'down' })).toBe(`303 ${page}?saved=yes`);
    for (let n = 0; n < 2; n++) expect(await send(fan, { act: 'like' }, `${page}/like`)).toBe(`303 ${page}`);
    expect(await send(visitor, { act: 'like' }, `${page}/like`)).not.toContain('/ui/skins/');

    const [own, liked, seen] = await Promise.all(
      [owner, fan, visitor].map(async (one) => (await one.open(page)).text),
    );
    for (const text of [own, liked, seen]) {
      expect(text).toContain('1 like<');
      expect(text).toContain('<a href="/ui/gallery?tag=black+smith">black smith</a>');
      expect(text).not.toContain('robot');
    }
    expect(own).toContain('aria-label="Remove the tag black smith"');
    expect(own).toContain('Add a tag');
    expect(liked).toContain('aria-label="Unlike: this skin"');
    expect(seen).toContain(`<a class="button quiet-button" href="/ui/sign-in?next=%2Fui%2Fskins%2F${uuid}">`);
    for (const text of [liked, seen]) expect(text).not.toMatch(/Remove the tag|Add a tag/);

    const { text: gallery } = await visitor.open('/ui/gallery');
    expect(gallery).toContain('<a href="/ui/gallery?tag=black+smith">black smith</a>');
    expect(gallery).toContain('<p class="quiet">1 like</p>');
    expect((await visitor.open('/ui/gallery?tag=black+smith')).text).toContain(`href="${page}"`);
    const operator = await signedIn(server, 'owner');
    expect((await operator.open(page)).text).toContain('aria-label="Remove the tag black smith"');
    expect(await send(operator, { tag: 'black smith', vote: 'down', decided: '' })).toBe(
      '303 /ui/operator/reports',
    );
    expect(await send(fan, { act: 'unlike' }, `${page}/like`)).toBe(`303 ${page}`);
    expect((await visitor.open(page)).text).toContain('0 likes<');
    expect((await ann.get(path)).body.skin).toMatchObject({ likes: 0, tags: [] });
  });

  onSqlite(test)("are those of the gallery's public skins only", async () => {
    const { server, ann, path } = await runWithSkin();
    await ann.patch(path, { tags: ['secret'], visibility: 'unlisted' });
    expect((await new PlainBrowser(server.url).open('/ui/gallery')).text).not.toContain('secret');
  });
});

mostlyOnSqlite(describe)("A job's skin", () => {
  test('has its current tags and likes', async () => {
    const { ann, bob, uuid, path } = await runWithSkin();
    const job = String((await ann.upload('/v2/queue', skinPng(1), { name: 'Smith' })).body.job?.id);
    await ann.patch(path, { tags: ['robot'] });
    await bob.json(`${path}/interactions/likes`, {});
    const { skin } = (await ann.get(`/v2/queue/${job}`)).body;
    expect(skin).toMatchObject({ uuid, likes: 1, tags: [{ tag: 'robot' }] });
  });
});

describe('The public list', () => {
  test('has the skins that were viewed most this week first, page by page', async () => {
    const { server, ann, nobody, uuid } = await runWithSkin();
    const [two, three] = [await make(ann, 2), await make(ann, 3)];
    await make(ann, 4);
    const callers = ['127.0.0.2', '127.0.0.3'].map((address) => new TestCaller(server.url, { address }));
    for (const caller of callers) await caller.json(`/v2/skins/${two}/interactions/views`, {});
    for (const viewed of [uuid, three]) await nobody.json(`/v2/skins/${viewed}/interactions/views`, {});
    await expect
      .poll(async () => uuidsIn(await nobody.get('/v2/skins?sort=week')))
      .toEqual([two, three, uuid]);
    const first = await nobody.get('/v2/skins?sort=week&size=2');
    expect(uuidsIn(first)).toEqual([two, three]);
    const second = await nobody.get(String(first.body.links['next']));
    expect([uuidsIn(second), second.body.links['next']]).toEqual([[uuid], undefined]);
  });

  mostlyOnSqlite(test)('is filtered by capes and signers', async () => {
    const { nobody, uuid } = await runWithSkin();
    expect(uuidsIn(await nobody.get('/v2/skins?cape=true'))).toEqual([]);
    expect(uuidsIn(await nobody.get('/v2/skins?cape=false&signer=service'))).toEqual([uuid]);
    expect(uuidsIn(await nobody.get('/v2/skins?signer=game'))).toEqual([]);
  });
});
