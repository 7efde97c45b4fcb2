import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { newUuid } from '../../../src/base/text.ts';
import { MAX_SET, SkinClient } from '../../../src/index.ts';
import { readHeader } from '../../../src/skin/png/header.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { mostlyOnSqlite, onSqlite } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';
import { expectRefusal, type Heard, TestCaller } from '../../support/server/test-caller.ts';
import { sampled } from '../../support/setup/extent.ts';

guardAgainstLeaks();

async function make(
  caller: TestCaller,
  number: number,
  fields: Record<string, string> = {},
): Promise<string> {
  return String((await caller.upload('/v2/generate', skinPng(number), fields)).body.skin?.uuid);
}

async function createSet(caller: TestCaller, name: string, skins: readonly string[], more: object = {}) {
  const { status, body } = await caller.json('/v2/sets', { name, skins, ...more });
  expect(status).toBe(201);
  return body.set!;
}

const uuidsIn = ({ body }: Heard) => body.skins?.map(({ uuid }) => uuid);

/** A server with two users, and two skins of the first. */
async function runWithSkins() {
  const server = await runServer();
  const [ann, bob] = [await userWithPlan(server, 'ann'), await userWithPlan(server, 'bob')];
  const nobody = new TestCaller(server.url);
  const skins = [await make(ann, 1, { name: 'One' }), await make(ann, 2, { name: 'Two' })] as const;
  return { server, ann, bob, nobody, skins };
}

describe('A set of skins', () => {
  mostlyOnSqlite(test)('has its skins in order, is found by its name, and changes', async () => {
    const { ann, nobody, skins } = await runWithSkins();
    const [one, two] = skins;
    const set = await createSet(ann, 'Royal Guards', [two, one, two]);
    expect(set).toMatchObject({ name: 'Royal Guards', slug: 'royal-guards', visibility: 'public', size: 2 });
    for (const reference of [set.uuid, 'royal-guards', 'Royal%20Guards']) {
      expect(uuidsIn(await nobody.get(`/v2/sets/${reference}`))).toEqual([two, one]);
    }
    const three = await make(ann, 3);
    const added = await ann.patch('/v2/sets/royal-guards', { add: [three, one], remove: [two] });
    expect(uuidsIn(added)).toEqual([one, three]);
    const renamed = await ann.patch(`/v2/sets/${set.uuid}`, { name: 'Guards', skins: [three] });
    expect([renamed.body.set, uuidsIn(renamed)]).toMatchObject([{ slug: 'guards', size: 1 }, [three]]);
    expect(uuidsIn(await nobody.get('/v2/sets/royal-guards'))).toEqual([three]);
    await ann.send('DELETE', `/v2/skins/${three}`);
    expect(uuidsIn(await nobody.get('/v2/sets/guards'))).toEqual([]);
    expect((await ann.send('DELETE', '/v2/sets/guards')).status).toBe(200);
    expectRefusal(await ann.get('/v2/sets/guards'), 'set_gone', 410);
    expect((await nobody.get(`/v2/skins/${one}`)).status).toBe(200);
  });

  mostlyOnSqlite(test)(
    'is listed newest first, page by page: public ones for everyone, all for their owner',
    async () => {
      const { ann, bob, nobody, skins } = await runWithSkins();
      await createSet(ann, 'a', skins);
      await createSet(ann, 'b', [], { visibility: 'unlisted' });
      await createSet(bob, 'c', [skins[0]]);
      await createSet(bob, 'd', [], { visibility: 'private' });
      const names = ({ body }: Heard) => body.sets?.map(({ name, size }) => `${name} ${size}`);
      const first = await nobody.get('/v2/sets?size=1');
      expect(names(first)).toEqual(['c 1']);
      const second = await nobody.get(String(first.body.links['next']));
      expect([names(second), second.body.links['next']]).toEqual([['a 2'], undefined]);
      expect(names(await ann.get('/v2/me/sets'))).toEqual(['b 0', 'a 2']);
      expect(names(await bob.get('/v2/me/sets'))).toEqual(['d 0', 'c 1']);
      expectRefusal(await nobody.get('/v2/me/sets'), 'unauthorized', 401);
    },
  );

  test('keeps names apart: among the sets of one owner, and among public ones', async () => {
    const { ann, bob, nobody } = await runWithSkins();
    const { uuid } = await createSet(ann, 'My Guards', []);
    expectRefusal(await ann.json('/v2/sets', { name: 'my-guards' }), 'invalid_request', 400);
    expectRefusal(await bob.json('/v2/sets', { name: 'MY GUARDS' }), 'invalid_request', 400);
    const own = await createSet(bob, 'my guards', [], { visibility: 'private' });
    expect((await bob.get('/v2/sets/my-guards')).body.set?.uuid).toBe(own.uuid);
    expect((await nobody.get('/v2/sets/my-guards')).body.set?.uuid).toBe(uuid);
    expectRefusal(await bob.patch('/v2/sets/my-guards', { visibility: 'public' }), 'invalid_request', 400);
    expect((await ann.patch('/v2/sets/my-guards', { name: 'My GUARDS' })).status).toBe(200);
  });

  onSqlite(test)('must have a name, not too many skins, and nothing else', async () => {
    const server = await runServer({ workers: 0 });
    for (const body of [
      {},
      { name: '0'.repeat(32) },
      { name: '...' },
      { name: 'a/b' },
      { name: 'a', skins: Array.from({ length: 501 }, (_, n) => String(n).padStart(32, '0')) },
      { name: 'a', owner: 'me' },
    ])
      expectRefusal(await server.owner.json('/v2/sets', body), 'validation_error', 400);
  });

  mostlyOnSqlite(test)('takes no skin that its owner cannot see, and then stays as it was', async () => {
    const { ann, bob, skins } = await runWithSkins();
    const secret = await make(ann, 3, { visibility: 'private' });
    expectRefusal(await bob.json('/v2/sets', { name: 'a', skins: [secret] }), 'skin_not_found', 404);
    await createSet(bob, 'a', [skins[0]]);
    for (const edit of [{ add: [secret] }, { skins: [secret] }, { name: 'b', add: ['0'.repeat(32)] }]) {
      expectRefusal(await bob.patch('/v2/sets/a', edit), 'skin_not_found', 404);
    }
    expect(uuidsIn(await bob.get('/v2/sets/a'))).toEqual([skins[0]]);
  });
});

mostlyOnSqlite(test)(
  'The owner of a public set sees others’ unlisted skins in it, and other people do not',
  async () => {
    const { ann, bob, nobody } = await runWithSkins();
    const theirs = await make(bob, 16, { visibility: 'unlisted' });
    const { uuid } = await createSet(ann, 'Theirs', [theirs]);
    expect(uuidsIn(await ann.get(`/v2/sets/${uuid}`))).toEqual([theirs]);
    expect(uuidsIn(await nobody.get(`/v2/sets/${uuid}`))).toEqual([]);
  },
);

/** Whose skins of which visibility each caller sees in a set of ann's. */
const SEEN = {
  public: { ann: 'pusb', 'ann without read': 'p', bob: 'po', nobody: 'p', operator: 'p' },
  unlisted: { ann: 'pusb', 'ann without read': 'pu', bob: 'puo', nobody: 'pu', operator: 'pu' },
  private: { ann: 'pusb', 'ann without read': '-', bob: '-', nobody: '-', operator: '-' },
} as const;
type CallerName = keyof (typeof SEEN)['public'];

/**
 * A set of ann's with a public, an unlisted and a secret skin of hers, one whose picture an operator has blocked, and
 * one of bob's that became private.
 */
async function runWithMixedSet(visibility: keyof typeof SEEN) {
  const { server, ann, bob, nobody } = await runWithSkins();
  const letters = new Map([
    [await make(ann, 11, { name: 'p' }), 'p'],
    [await make(ann, 12, { name: 'u', visibility: 'unlisted' }), 'u'],
    [await make(ann, 13, { name: 's', visibility: 'private' }), 's'],
    [await make(ann, 15, { name: 'b' }), 'b'],
    [await make(bob, 14, { name: 'o' }), 'o'],
  ]);
  const { uuid } = await createSet(ann, 'Mixed', [...letters.keys()], { visibility });
  const [blocked = '', bobs] = [...letters.keys()].slice(-2);
  await server.owner.json('/v2/account/blocked-images', { skin: blocked });
  await bob.patch(`/v2/skins/${bobs}`, { visibility: 'private' });
  const keyOf = async (user: string, scopes?: readonly string[]) => {
    const { body } = await server.owner.json('/v2/account/keys', { user, name: String(scopes), scopes });
    return String(body.key?.secret);
  };
  const blind = new TestCaller(server.url, { key: await keyOf('ann', ['skins']) });
  const callers = { ann, 'ann without read': blind, bob, nobody, operator: server.owner };
  return { server, uuid, letters, callers, keyOf };
}

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();
const widthOf = ({ bytes }: Heard) => (bytes.length === 0 ? 0 : readHeader(bytes).width);
/** Pixels of a group picture for each figure, and around them. */
const [FIGURE, MARGIN] = [172, 12];

// Unlisted and private sets as a whole, also `who-sees-what` and `private-everywhere` have.
onSqlite(describe).each(sampled(Object.keys(SEEN) as (keyof typeof SEEN)[], 3))('A %s set', (visibility) => {
  test('shows each caller only what that caller may see, in every form', async () => {
    const { server, uuid, letters, callers, keyOf } = await runWithMixedSet(visibility);
    const uuidsNamed = (from: string) =>
      [...letters].flatMap(([id, letter]) => (from.includes(id) ? letter : [])).join('');
    const path = `/v2/sets/${uuid}`;
    const everyones = SEEN[visibility].nobody;
    for (const [name, expected] of Object.entries(SEEN[visibility])) {
      const caller = callers[name as CallerName];
      const look = async (file: string, read: (heard: Heard) => string) => {
        const heard = await caller.get(file);
        return heard.status === 200 ? read(heard) : '-';
      };
      // The blocked picture is in no file, not even for its owner.
      const inFiles = expected.replace('b', '');
      const zipped = (file: string) => (heard: Heard) => text(unzipSync(heard.bytes)[file]);
      const packOf = async (at: string) => await look(at, (heard) => uuidsNamed(zipped('skins.json')(heard)));
      expect([
        name,
        {
          json: await look(path, (heard) =>
            uuidsIn(heard)!
              .map((id) => letters.get(id))
              .join(''),
          ),
          lock: await look(`${path}/skins.lock`, (heard) => uuidsNamed(text(heard.bytes))),
          zip: await look(`${path}/skins.zip`, (heard) => uuidsNamed(zipped('skins.lock')(heard))),
          pack: await packOf(`${path}/pack.zip`),
          named: await packOf(`/packs/${visibility === 'public' ? 'mixed' : uuid}.zip`),
          data: await look(`${path}/datapack.zip`, (heard) => {
            const lineup = zipped('data/mixed/function/lineup.mcfunction')(heard);
            return [...letters.values()].filter((one) => lineup.includes(`entity/player/${one}"`)).join('');
          }),
          group: await look(`${path}/group.png`, (heard) => String((widthOf(heard) - MARGIN) / FIGURE)),
          cached: await look(`${path}/pack.zip`, ({ headers }) => String(headers['cache-control'])),
          card: await look(`${path}/card.png`, ({ bytes }) => hash('sha1', bytes)),
        },
      ]).toEqual([
        name,
        {
          ...{ json: expected, lock: inFiles, zip: inFiles, pack: inFiles, named: inFiles, data: inFiles },
          group: expected === '-' ? '-' : String(inFiles.length),
          cached: expected === '-' ? '-' : expected === everyones ? 'public, no-cache' : 'private, no-cache',
          card:
            visibility === 'private'
              ? '-'
              : hash('sha1', (await callers.nobody.get(`${path}/card.png`)).bytes),
        },
      ]);
      const listed = (await caller.get('/v2/sets')).body.sets?.map(({ size }) => size);
      expect([name, listed]).toEqual([name, visibility === 'public' ? [expected.length] : []]);
    }

    const people = {
      ann: await keyOf('ann'),
      bob: await keyOf('bob'),
      nobody: undefined,
      operator: server.key,
    };
    for (const [name, key] of Object.entries(people)) {
      const person = new PlainBrowser(server.url);
      if (key !== undefined) await person.signIn(key);
      const open = async (address: string) => {
        const { status, text: page } = await person.open(address);
        return status === 200 ? uuidsNamed(page) : '-';
      };
      const expected = SEEN[visibility][name as CallerName];
      const lock = expected.replace('b', '');
      expect([name, await open(`/ui/sets/${uuid}`), await open(`/ui/sets/${uuid}/skins.lock`)]).toEqual([
        ...[name, expected, lock],
      ]);
      const list = (await person.open('/ui/sets')).text;
      const picture = /<img class="lineup" src="([^"]*)"/.exec(list)?.[1];
      const folder =
        expected === SEEN[visibility].nobody && visibility !== 'private' ? '/v2/sets' : '/ui/sets';
      const isListed = name === 'ann' || visibility === 'public';
      expect([name, list.includes(uuid), picture]).toEqual([
        ...[name, isListed, isListed ? `${folder}/${uuid}/group.png` : undefined],
      ]);
      const unfolded = (await person.open(`/ui/sets/${uuid}`)).text.includes('og:image');
      expect([name, unfolded]).toEqual([name, visibility !== 'private']);
      for (const file of ['/sitemaps/1.xml', '/ui/gallery.atom'])
        expect([file, uuidsNamed((await person.open(file)).text)]).toEqual([file, 'p']);
    }
  });
});

onSqlite(describe)('A key without the scope', () => {
  test('without read cannot list its own sets, and without skins changes nothing', async () => {
    const { server, uuid, callers, keyOf } = await runWithMixedSet('public');
    const reader = new TestCaller(server.url, { key: await keyOf('ann', ['read']) });
    for (const heard of [
      await reader.json('/v2/sets', { name: 'new' }),
      await reader.patch(`/v2/sets/${uuid}`, { name: 'new' }),
      await reader.send('DELETE', `/v2/sets/${uuid}`),
    ])
      expectRefusal(heard, 'insufficient_grants', 403);
    expectRefusal(await callers['ann without read'].get('/v2/me/sets'), 'insufficient_grants', 403);
  });
});

mostlyOnSqlite(describe)('An operator', () => {
  test("hides a set, which its owner can't show again, and shows it; deletes another", async () => {
    const { server, ann, nobody, skins } = await runWithSkins();
    const set = await createSet(ann, 'Rude', skins);
    const path = `/v2/account/sets/${set.uuid}`;
    expectRefusal(await ann.patch(path, { hidden: true }), 'insufficient_grants', 403);
    const hidden = await server.owner.patch(path, { hidden: true, note: 'rude' });
    expect(hidden.body.set).toMatchObject({ visibility: 'private', hidden: true });
    expectRefusal(await nobody.get(`/v2/sets/${set.uuid}`), 'set_not_found', 404);
    expectRefusal(await ann.patch('/v2/sets/rude', { visibility: 'public' }), 'insufficient_grants', 403);
    expect((await ann.get('/v2/sets/rude')).body.set?.visibility).toBe('private');
    expectRefusal(
      await (await server.user('eve')).json('/v2/sets', { name: 'rude' }),
      'invalid_request',
      400,
    );
    await ann.send('DELETE', '/v2/set-names/rude');
    await createSet(await server.user('fay'), 'rude', []);
    expect((await server.owner.patch(path, { hidden: false })).body.set).toMatchObject({
      visibility: 'unlisted',
    });
    expect((await server.owner.send('DELETE', `${path}?note=again`)).status).toBe(200);
    const { entries } = (await server.owner.get('/v2/account/log')).body;
    expect(entries?.filter(({ subject }) => subject === set.uuid).map(({ action }) => action)).toEqual([
      'delete_set',
      'show_set',
      'hide_set',
    ]);
  });
});

onSqlite(describe)("A set's card", () => {
  test('shows the skins that everyone sees, for everyone, and none of a private set', async () => {
    const { server, uuid, callers } = await runWithMixedSet('public');
    const path = `/v2/sets/${uuid}/card.png`;
    const { bytes, headers } = await callers.nobody.get(path);
    const { width, height } = readHeader(bytes);
    expect([width, height, headers['cross-origin-resource-policy']]).toEqual([1200, 630, 'cross-origin']);
    expect((await callers.ann.get(path)).bytes).toEqual(bytes);
    const page = await fetch(`${server.url}/ui/sets/${uuid}`, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain(`<meta property="og:image" content="${server.url}${path}">`);
    await callers.ann.patch(`/v2/sets/${uuid}`, { visibility: 'unlisted' });
    const unlisted = await callers.nobody.get(path);
    expect(unlisted.bytes).not.toEqual(bytes);
    expect(unlisted.headers['x-robots-tag']).toBe('noindex');
    await callers.ann.patch(`/v2/sets/${uuid}`, { visibility: 'private' });
    for (const caller of [callers.ann, callers.nobody])
      expectRefusal(await caller.get(path), 'set_not_found', 404);
  });
});

onSqlite(describe)("A set's group picture", () => {
  test('has the skins that its viewer sees, and only what everyone sees is for shared caches', async () => {
    const { server, uuid, callers, letters } = await runWithMixedSet('public');
    const path = `/v2/sets/${uuid}/group.png`;
    const sizeOf = ({ bytes }: Heard) => {
      const { width, height } = readHeader(bytes);
      return [width, height];
    };
    const everyones = await callers.nobody.get(path);
    expect(sizeOf(everyones)).toEqual([184, 344]);
    expect(everyones.headers).toMatchObject({
      'cache-control': 'public, max-age=30',
      vary: expect.stringContaining('Authorization'),
    });
    const own = await callers.ann.get(path);
    expect([sizeOf(own), own.headers['cache-control']]).toEqual([[528, 344], 'no-store']);
    const again = await callers.nobody.get(path, { 'if-none-match': String(everyones.headers['etag']) });
    expect(again.status).toBe(304);

    const page = async (person: PlainBrowser) => {
      const { text } = await person.open(`/ui/sets/${uuid}`);
      return /<img class="lineup" src="([^"]*)" alt="([^"]*)" width="(\d+)"/.exec(text)?.slice(1);
    };
    const owner = new PlainBrowser(server.url);
    const key = (await server.owner.json('/v2/account/keys', { user: 'ann' })).body.key?.secret;
    await owner.signIn(key);
    const alt = 'The skins of the set Mixed side by side';
    expect(await page(owner)).toEqual([`/ui/sets/${uuid}/group.png`, alt, '528']);
    expect((await owner.open(`/ui/sets/${uuid}/group.png`)).headers.get('cache-control')).toBe('no-store');
    await callers.ann.patch(`/v2/sets/${uuid}`, { visibility: 'unlisted' });
    expect(await page(new PlainBrowser(server.url))).toEqual([path, alt, '356']);
    expect((await callers.nobody.get(path)).headers['x-robots-tag']).toBe('noindex');

    const [first] = letters.keys();
    await callers.ann.patch(`/v2/sets/${uuid}`, { skins: [] });
    expectRefusal(await callers.nobody.get(path), 'not_found', 404);
    await callers.ann.patch(`/v2/sets/${uuid}`, { skins: [first], visibility: 'private' });
    expectRefusal(await callers.nobody.get(path), 'set_not_found', 404);
    expect((await callers.ann.get(path)).status).toBe(200);
  });
});

mostlyOnSqlite(describe)('A list that is sent to the page of sets', () => {
  async function personOf(server: ServerUnderTest, user: string): Promise<PlainBrowser> {
    const person = new PlainBrowser(server.url);
    const { body } = await server.owner.json('/v2/account/keys', { user, name: 'for pages' });
    await person.signIn(body.key?.secret);
    return person;
  }

  async function send(person: PlainBrowser, list: string, name = 'Team', visibility = 'public') {
    const form = new FormData();
    form.set('name', name);
    form.set('visibility', visibility);
    form.set('file', new Blob([list]), 'team list.csv');
    return await person.open('/ui/sets', { form });
  }

  test('becomes a set of the skins that it names, in its order and in whatever form it names them', async () => {
    const { server, ann, bob, skins } = await runWithSkins();
    const [one, two] = skins;
    const others = [
      await make(bob, 3, { name: 'Bob' }),
      await make(bob, 4),
      await make(ann, 5, { name: 'Five' }),
    ];
    const [named, short, five] = others;
    const texture = (await bob.get(`/v2/skins/${short}`)).body.skin?.texture.url.skin;
    const person = await personOf(server, 'ann');
    expect((await person.open('/ui/sets')).text).toContain('type="file" name="file"');
    const csv = [
      'source;name;uuid',
      `guards/a.png;;${two}`,
      `"${server.url}/ui/skins/${named}";;`,
      `${texture};;`,
      'pictures\\One.png;;',
      'x.png;Five;',
    ].join('\r\n');
    const sent = await send(person, csv);
    const set = (await ann.get('/v2/sets/team')).body.set;
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `/ui/sets/${set?.uuid}`]);
    expect(uuidsIn(await ann.get('/v2/sets/team'))).toEqual([two, named, short, one, five]);

    const lock = `{"source":"a.png","uuid":"${one}"}\n{"source":"b.png","uuid":"${five}"}\n`;
    expect((await send(person, lock, 'Locked')).status).toBe(303);
    expect(uuidsIn(await ann.get('/v2/sets/locked'))).toEqual([one, five]);
    expect((await send(person, `${two}\n\n${short!.slice(0, 8)}\n`, 'locked')).status).toBe(303);
    expect(uuidsIn(await ann.get('/v2/sets/locked'))).toEqual([one, five, two, short]);
    const twice = `${two}\nOne.png\n${server.url}/ui/skins/${one}\n${two}\n`;
    expect((await send(person, twice, 'Twice')).status).toBe(303);
    expect(uuidsIn(await ann.get('/v2/sets/twice'))).toEqual([two, one]);
  });

  test('may be a lockfile with as many skins as a set holds, each with value and signature', async () => {
    const { server, ann, skins } = await runWithSkins();
    const person = await personOf(server, 'ann');
    const data = { value: 'x'.repeat(600), signature: 'x'.repeat(684), url: 'x'.repeat(100) };
    const line = JSON.stringify({ source: 'a.png', sha256: 'x'.repeat(64), uuid: skins[0], ...data });
    expect((await send(person, `${line}\n`.repeat(MAX_SET))).status).toBe(303);
    expect(uuidsIn(await ann.get('/v2/sets/team'))).toEqual([skins[0]]);
  });

  test('is refused under a name that no address can have, or of a set with another visibility', async () => {
    const { server, ann, skins } = await runWithSkins();
    const person = await personOf(server, 'ann');
    const [one = '', two = ''] = skins;
    for (const name of ['---', one]) expect((await send(person, one, name)).status).toBe(400);
    expect((await send(person, one)).status).toBe(303);
    const refused = await send(person, two, 'team', 'private');
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('You already have the set &quot;Team&quot;, and it is public.');
    expect(uuidsIn(await ann.get('/v2/sets/team'))).toEqual([one]);
    expect((await ann.get('/v2/me/sets')).body.sets).toHaveLength(1);
  });

  onSqlite(test)(
    'names each line that is no skin for the person, with what to do, and keeps the others',
    async () => {
      const { server, ann, bob, skins } = await runWithSkins();
      const secret = await make(bob, 3, { visibility: 'private', name: 'Bob' });
      const twice = await make(ann, 4, { name: 'Twice' });
      const { db } = await openOwnStore(server.dataDir);
      const row = await db
        .selectFrom('skins')
        .selectAll()
        .where('uuid', '=', twice)
        .executeTakeFirstOrThrow();
      const { id: _, ...record } = row;
      const copies = Array.from({ length: 2_000 }, () => ({ ...record, uuid: newUuid() }));
      await db.insertInto('skins').values(copies).execute();
      const person = await personOf(server, 'ann');
      const list = `name,uuid\nTwice,\n,${secret}\nBob,\n<b>new.png</b>,\nOne,\n`;
      const { status, text: page } = await send(person, list);
      expect(status).toBe(200);
      expect(uuidsIn(await ann.get('/v2/sets/team'))).toEqual([skins[0]]);
      expect(page.match(/Line \d+: <bdi>.*?<\/bdi>/g)).toEqual([
        'Line 2: <bdi>Twice</bdi>',
        `Line 3: <bdi>${secret}</bdi>`,
        'Line 4: <bdi>Bob</bdi>',
        'Line 5: <bdi>&lt;b&gt;new.png&lt;/b&gt;</bdi>',
      ]);
      expect(page.match(/You have several skins with this name/g)).toHaveLength(1);
      expect(page).toContain('skinsmith generate &#39;team list.csv&#39; --out signed');
      expect(page).toMatch(/skinsmith sets edit [0-9a-f]{32} --from signed\/skins\.lock/);
      expect((await send(person, 'nothing.png', 'Empty')).status).toBe(400);
      expectRefusal(await ann.get('/v2/sets/empty'), 'set_not_found', 404);
      expect((await send(person, `uuid\n${'x\n'.repeat(501)}`)).status).toBe(400);
      expect((await send(person, 'uuid,name\n"open')).status).toBe(400);
      expect((await send(new PlainBrowser(server.url), skins[0])).status).not.toBe(200);
    },
  );
});

onSqlite(describe)("A set's packs", () => {
  test('have the same bytes at both addresses while the skins stay the same', async () => {
    const { server, nobody, ann, skins } = await runWithSkins();
    await createSet(ann, 'Royal.Guards', skins);
    const { headers, bytes } = await nobody.get('/packs/royal.guards.zip');
    expect(headers).toMatchObject({
      etag: `"${hash('sha1', bytes)}"`,
      'content-disposition': 'attachment; filename="royal.guards-pack.zip"',
    });
    const { sets } = new SkinClient({ baseUrl: server.url }).account;
    expect(await buffer(sets.file('royal.guards', 'pack'))).toEqual(bytes);
    expect(Object.keys(unzipSync(bytes))).toContain('assets/royal_guards/textures/entity/player/one.png');
    const functions = unzipSync((await nobody.get('/v2/sets/royal.guards/datapack.zip')).bytes);
    const lineup = Buffer.from(functions['data/royal_guards/function/lineup.mcfunction']!).toString();
    expect(lineup.match(/^summon /gm)).toHaveLength(2);
    expect(lineup).toContain('royal_guards:entity/player/two');
    expect((await nobody.get('/packs/royal.guards.zip')).bytes).toEqual(bytes);
    const { key } = (await server.owner.json('/v2/account/keys', { user: 'ann', name: 'again' })).body;
    await server.close();
    const again = await runServer({ dataDir: server.dataDir });
    const visitor = new TestCaller(again.url);
    const owner = new TestCaller(again.url, { key: String(key?.secret) });
    await owner.patch('/v2/sets/royal.guards', { remove: [skins[0]] });
    expect((await visitor.get('/packs/royal.guards.zip')).headers['etag']).not.toBe(headers['etag']);
    expectRefusal(await visitor.get('/packs/none.zip'), 'set_not_found', 404);
  });
});
