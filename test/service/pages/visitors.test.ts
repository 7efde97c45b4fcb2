import { expect, test } from 'vitest';
import { readHeader } from '../../../src/skin/png/header.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { runServer } from '../../support/server/running-server.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';

/** A service with sets of ann's: an open one with a private skin, a quiet and a secret one; and a name that is reserved for her. */
async function openScene() {
  const server = await runServer();
  const ann = await userWithPlan(server, 'ann');
  const make = async (n: number, visibility: string) =>
    (await ann.upload('/v2/generate', skinPng(n), { name: `Hat ${n}`, visibility })).body.skin!.uuid;
  const [shown, hidden] = [await make(1, 'public'), await make(2, 'private')];
  await ann.patch(`/v2/skins/${shown}`, { tags: ['knight'] });
  const set = async (name: string, visibility: string, caller: TestCaller = ann) =>
    (await caller.json('/v2/sets', { name, visibility, skins: [shown, hidden] })).body.set!.uuid;
  const open = await set('Former', 'public');
  await ann.patch(`/v2/sets/${open}`, { name: 'Open' });
  const names = { [shown]: 'SKIN', [open]: 'OPEN', [await set('Quiet', 'unlisted')]: 'QUIET' };
  names[await set('Secret', 'private')] = 'SECRET';
  await server.user('bob');
  const visitor = async (user: string, scopes?: readonly string[]) => {
    const person = new PlainBrowser(server.url);
    const { body } = await server.owner.json('/v2/account/keys', { user, ...(scopes && { scopes }) });
    await person.signIn(body.key?.secret);
    return person;
  };
  const visitors = {
    nobody: new PlainBrowser(server.url),
    bob: await visitor('bob'),
    ann: await visitor('ann'),
    'ann, reading only': await visitor('ann', ['read']),
    'ann, not reading': await visitor('ann', ['skins']),
    operator: await visitor('owner'),
  };
  const pages = { sets: '/ui/sets', set: `/ui/sets/${open}`, skin: `/ui/skins/${shown}` };
  const named = (text: string) =>
    Object.entries(names).reduce((all, [uuid, name]) => all.replaceAll(uuid, name), text);
  const uuidOf = (wanted: string) => Object.entries(names).find(([, name]) => name === wanted)![0];
  const [quiet, locked] = [uuidOf('QUIET'), uuidOf('SECRET')];
  const { body: writing } = await server.owner.json('/v2/account/keys', { user: 'ann', scopes: ['skins'] });
  const writerKey = writing.key?.secret;
  return { server, ann, visitors, pages, named, shown, secret: hidden, open, quiet, locked, writerKey };
}

/** What the forms of a page do: their addresses, each with what its fields and buttons say that it does. */
function deedsOf(page: string): string[] {
  const forms = page.matchAll(/<form[^>]*method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs);
  const deeds = Array.from(forms, ([, address = '', content = '']) => {
    const acts = Array.from(content.matchAll(/name="(?:act|vote)" value="([^"]*)"/g), ([, act]) => act);
    return [address.replace('/ui/', ''), ...acts].join(' ');
  });
  return deeds.filter((deed) => !['language', 'sign-out', 'tray keep'].includes(deed)); // on every page
}

/** What each visitor can do on a page, after the sets that it names. */
const SHOWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sets: {
    nobody: 'OPEN',
    bob: 'OPEN; sets',
    ann: 'SECRET QUIET OPEN; sets, set-names/release',
    'ann, reading only': 'SECRET QUIET OPEN',
    'ann, not reading': 'OPEN; sets',
    operator: 'OPEN; sets',
  },
  set: {
    nobody: 'OPEN; sets/OPEN/report',
    bob: 'OPEN; sets/OPEN/report',
    ann: 'OPEN; sets/OPEN publish, sets/OPEN remove, sets/OPEN save, sets/OPEN delete',
    'ann, reading only': 'OPEN',
    'ann, not reading': 'OPEN; sets/OPEN remove, sets/OPEN save, sets/OPEN delete',
    operator: 'OPEN; sets/OPEN/report',
  },
  skin: {
    nobody: 'Sign in to like it; skins/SKIN/report',
    bob: '; skins/SKIN/like like, skins/SKIN/report',
    ann: '; skins/SKIN/like like, skins/SKIN/tags down, skins/SKIN/tags up, skins/SKIN, skins/SKIN/delete',
    'ann, reading only': '',
    'ann, not reading':
      '; skins/SKIN/like like, skins/SKIN/tags down, skins/SKIN/tags up, skins/SKIN, skins/SKIN/delete',
    operator: '; skins/SKIN/like like, skins/SKIN/tags down, skins/SKIN/wear, skins/SKIN/report',
  },
};

test('Each visitor sees what that visitor may see, and no form that would be refused', async () => {
  const { visitors, pages, named } = await openScene();
  const shown: Record<string, Record<string, string>> = {};
  for (const [page, path] of Object.entries(pages)) {
    shown[page] = {};
    for (const [name, person] of Object.entries(visitors)) {
      const { text } = await person.open(path);
      const main = named(text.slice(text.indexOf('<main')));
      const seen = new Set(main.match(/QUIET|SECRET|OPEN|Sign in to like it/g));
      shown[page][name] = [
        [...seen].join(' '),
        ...(deedsOf(main).length > 0 ? [deedsOf(main).join(', ')] : []),
      ].join('; ');
    }
  }
  expect(shown).toEqual(SHOWN);
});

test('No form of a session shows what its key may not read', async () => {
  const { visitors } = await openScene();
  const writer = visitors['ann, not reading'];
  const list = await writer.open('/ui/skins', { form: { act: 'change' } });
  expect(list.status).toBe(403);
  expect(list.text).not.toMatch(/Hat 2|Select/);
  const form = new FormData();
  form.set('name', 'secret');
  form.set('visibility', 'public');
  form.set('file', new Blob(['Hat 1\n']), 'list.csv');
  const refused = await writer.open('/ui/sets', { form });
  expect(refused.status).toBe(400);
  expect(refused.text).not.toMatch(/Secret|private/);
});

test('No link on a page leads to a page that the session’s key may not open', async () => {
  const { visitors } = await openScene();
  for (const name of ['bob', 'ann, reading only', 'ann, not reading'] as const) {
    const links = new Set(['/ui/', '/ui/account', '/ui/sessions']);
    for (const link of links) {
      const { status, text } = await visitors[name].open(link);
      expect([name, link, status]).not.toEqual([name, link, 403]);
      const menus = [...text.matchAll(/<nav.*?<\/nav>/gs), ...text.matchAll(/<main.*?<\/main>/gs)].join('');
      for (const [, next = ''] of menus.matchAll(/href="(\/ui\/[^"?#]*)"/g)) links.add(next);
    }
  }
});

test('A like of a missing or invisible skin is refused on its page too', async () => {
  const { visitors, secret } = await openScene();
  for (const [uuid, name, status] of [
    ['0'.repeat(32), 'bob', 404],
    [secret, 'bob', 404],
    [secret, 'ann', 303],
    [secret, 'ann, reading only', 403],
  ] as const) {
    const { status: seen } = await visitors[name].open(`/ui/skins/${uuid}/like`, { form: { act: 'like' } });
    expect([name, uuid, seen]).toEqual([name, uuid, status]);
  }
});

test('An unlisted set is not for search engines, and its command finds it', async () => {
  const { visitors, quiet } = await openScene();
  for (const name of ['nobody', 'ann'] as const) {
    const { text, headers } = await visitors[name].open(`/ui/sets/${quiet}`);
    expect([name, headers.get('x-robots-tag')]).toEqual([name, 'noindex']);
    expect(text).toContain(`skinsmith sets export ${quiet}`);
  }
  const { headers, text } = await visitors.nobody.open('/ui/sets/open');
  expect(headers.get('x-robots-tag')).toBeNull();
  expect(text).toContain('skinsmith sets export open');
});

test('A key that does not read puts no private skin into a set, and a group picture has no hidden skin', async () => {
  const { server, writerKey, ann, secret, shown, open, locked } = await openScene();
  const writer = new TestCaller(server.url, { key: writerKey });
  expectRefusal(await writer.json('/v2/sets', { name: 'Mine', skins: [secret] }), 'skin_not_found', 404);
  expectRefusal(await writer.patch(`/v2/sets/${open}`, { add: [secret] }), 'skin_not_found', 404);
  expectRefusal(
    await writer.patch(`/v2/sets/${locked}`, { visibility: 'unlisted' }),
    'insufficient_grants',
    403,
  );
  const named = await writer.json('/v2/sets', { name: 'Secret', visibility: 'unlisted', skins: [] });
  expect(named.body.errors?.[0]?.message).toBe('The name secret is taken.');
  const edited = await ann.patch(`/v2/sets/${open}`, { remove: [shown], add: [shown] });
  expect(edited.body.skins?.map(({ uuid }) => uuid)).toEqual([secret, shown]);
  const widthOf = async () => {
    const heard = await ann.get(`/v2/sets/${open}/group.png`);
    return heard.status === 200 ? readHeader(heard.bytes).width : undefined;
  };
  const both = await widthOf();
  await server.owner.patch(`/v2/account/skins/${shown}`, { hidden: true });
  expect(await widthOf()).toBeLessThan(both!);
});

test('The log records what an operator removes or releases', async () => {
  const { server, shown, ann } = await openScene();
  await server.owner.json(`/v2/skins/${shown}/tags`, { tag: 'knight', vote: 'down' });
  await server.owner.send('DELETE', '/v2/set-names/former');
  await ann.patch('/v2/sets/quiet', { visibility: 'public', name: 'Loud' });
  await ann.patch('/v2/sets/loud', { name: 'Soft' });
  await ann.send('DELETE', '/v2/set-names/loud');
  const { entries = [] } = (await server.owner.get('/v2/account/log')).body;
  expect(entries.map(({ action, subject }) => [action, subject])).toEqual(
    expect.arrayContaining([
      ['release_set_name', 'former'],
      ['remove_tag', shown],
    ]),
  );
  expect(entries.filter(({ subject }) => subject === 'loud')).toEqual([]);
});

test('The menu of an operator counts open reports, and a reported skin is hidden and shown again', async () => {
  const server = await runServer();
  const uuid = (await server.owner.upload('/v2/generate', skinPng(1))).body.skin?.uuid;
  const [operator, visitor] = [new PlainBrowser(server.url), new PlainBrowser(server.url)];
  await operator.signIn(server.key);
  const counts = async () => /Operator \((\d+)\)/.exec((await operator.open('/ui/operator')).text)?.[1];
  expect(await counts()).toBeUndefined();
  await visitor.open(`/ui/skins/${uuid}/report`, { form: { reason: 'other' } });
  expect(await counts()).toBe('1');
  const seenAfter = async (act: string) => {
    await operator.open(`/ui/operator/skins/${uuid}/hidden`, { form: { act } });
    return (await visitor.open(`/ui/skins/${uuid}`)).status;
  };
  expect([await seenAfter('hide'), await seenAfter('show')]).toEqual([404, 200]);
  expect(await counts()).toBeUndefined(); // to hide it has closed its report
});
