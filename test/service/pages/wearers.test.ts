import { describe, expect, test } from 'vitest';
import { runGame } from '../../support/fake-game/run-game.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import type { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** A service where users have names, with Ann, Bob and the operator signed in. */
async function openScene(wardrobe: 'users' | 'operator' = 'users') {
  const game = await runGame();
  const server = await runServer({ wardrobe, gameAddresses: game.addresses });
  const [ann, bob] = [await userWithPlan(server, 'ann'), await userWithPlan(server, 'bob')];
  const person = async (user: string, scopes?: readonly string[]) => {
    const browser = new PlainBrowser(server.url);
    const { key } = (await server.owner.json('/v2/account/keys', { user, ...(scopes && { scopes }) })).body;
    await browser.signIn(key?.secret);
    return browser;
  };
  const people = { ann: await person('ann'), bob: await person('bob'), operator: await person('owner') };
  return { game, server, ann, bob, owner: server.owner, person, people };
}

const skinOf = async (caller: TestCaller, number: number, visibility = 'public') =>
  (await caller.upload('/v2/generate?timeout=30', skinPng(number), { visibility })).body.skin!.uuid;

/** The part of a skin's page about names. */
function panelOf(text: string): string | undefined {
  return text.match(/<details class="panel" id="worn".*?<\/form><\/details>/s)?.[0];
}

const namesOn = (text: string) =>
  [...(panelOf(text) ?? '').matchAll(/<strong>(\w+)<\/strong>/g)].map(([, name]) => name);

test('On its page, a skin is put on a name and taken off again, and the page shows who wears it', async () => {
  const { ann, people, server } = await openScene();
  const uuid = await skinOf(ann, 1);
  const page = `/ui/skins/${uuid}`;
  expect(panelOf((await people.ann.open(page)).text)).toMatch(/^<details class="panel" id="worn"><summary>/);
  const worn = await people.ann.open(`${page}/wear`, { form: { name: 'Steve' } });
  expect([worn.status, worn.headers.get('location')]).toEqual([303, `${page}?saved=yes`]);
  const { text } = await people.ann.open(page);
  expect(panelOf(text)).toMatch(/^<details class="panel" id="worn" open>/);
  expect(namesOn(text)).toEqual(['Steve']);
  expect((await server.anonymous().get('/v2/players/Steve')).status).toBe(200);
  expect((await people.ann.open(`${page}/undress`, { form: { name: 'Steve' } })).status).toBe(303);
  expect(namesOn((await people.ann.open(page)).text)).toEqual([]);
  expect((await ann.get('/v2/me/players')).body.players?.map(({ name }) => name)).toEqual(['Steve']);
});

test('An outdated page does not take a different skin off', async () => {
  const { ann, people } = await openScene();
  const [old, current] = [await skinOf(ann, 1), await skinOf(ann, 2)];
  await ann.put('/v2/players/Steve', { skin: current });
  await people.ann.open(`/ui/skins/${old}/undress`, { form: { name: 'Steve' } });
  expect((await ann.get('/v2/me/players')).body.players?.[0]?.skin).toBe(current);
});

test('A private skin is put on only by whoever has agreed that everyone sees it', async () => {
  const { ann, people, server } = await openScene();
  const [secret, open] = [await skinOf(ann, 1, 'private'), await skinOf(ann, 2)];
  const [asked, plain] = [
    await people.ann.open(`/ui/skins/${secret}`),
    await people.ann.open(`/ui/skins/${open}`),
  ];
  expect(panelOf(asked.text)).toMatch(
    /name="publish" value="yes" required> Let everyone see this private skin/,
  );
  expect(panelOf(plain.text)).not.toContain('publish');
  const refused = await people.ann.open(`/ui/skins/${secret}/wear`, { form: { name: 'Steve' } });
  expect(refused.status).toBe(400);
  expect(panelOf(refused.text)).toContain('This skin is private.');
  expect((await server.anonymous().get('/v2/players/Steve')).status).toBe(404);
  await people.ann.open(`/ui/skins/${secret}/wear`, { form: { name: 'Steve', publish: 'yes' } });
  expect((await server.anonymous().get('/v2/players/Steve')).status).toBe(200);
  expect((await server.anonymous().get(`/v2/skins/${secret}`)).status).toBe(404);
});

describe('A refused name stays in its field, below the reason', () => {
  test.each([
    ['not-a-name', 'at most 16 characters'],
    ['Taken', 'The player name Taken is another user&#39;s.'],
    ['Notch', 'Notch is the name of a Minecraft account.'],
  ])('%s', async (name, reason) => {
    const { game, ann, bob, people } = await openScene();
    game.addPlayer({ name: 'Notch' });
    const uuid = await skinOf(ann, 1);
    await bob.put('/v2/players/Taken', { skin: uuid });
    const { status, text } = await people.ann.open(`/ui/skins/${uuid}/wear`, { form: { name } });
    expect(status).toBe(400);
    const panel = panelOf(text)!;
    expect(panel).toMatch(/^<details class="panel" id="worn" open>/);
    expect(panel).toContain(`value="${name}"`);
    expect(panel.indexOf(reason)).toBeGreaterThan(0);
    expect(panel.indexOf(reason)).toBeLessThan(panel.indexOf('<input'));
  });
});

test('While Mojang does not answer, the name stays in its field too', async () => {
  const { game, ann, people } = await openScene();
  const uuid = await skinOf(ann, 1);
  await game.close();
  const { status, text } = await people.ann.open(`/ui/skins/${uuid}/wear`, { form: { name: 'Steve' } });
  expect(status).toBe(400);
  expect(panelOf(text)).toContain('value="Steve"');
  expect(panelOf(text)).toContain('Mojang cannot tell now');
});

test('Users see their own names, operators see all names with their users, and others see none', async () => {
  const { ann, owner, people, person, server } = await openScene('operator');
  const uuid = await skinOf(ann, 1);
  const shown = async (browser: PlainBrowser) => (await browser.open(`/ui/skins/${uuid}`)).text;
  expect(panelOf(await shown(people.ann))).toBeUndefined();
  await owner.put('/v2/players/Annie', { skin: uuid, user: 'ann' });
  await owner.put('/v2/players/Bobby', { skin: uuid, user: 'bob' });
  expect(namesOn(await shown(people.ann))).toEqual(['Annie']);
  expect(namesOn(await shown(people.bob))).toEqual(['Bobby']);
  expect(namesOn(await shown(people.operator))).toEqual(['Annie', 'Bobby']);
  expect(panelOf(await shown(people.operator))).toContain('<bdi>bob</bdi>');
  const reading = await person('ann', ['read']);
  const writing = await person('ann', ['skins']);
  for (const browser of [new PlainBrowser(server.url), reading, writing]) {
    const text = await shown(browser);
    expect(panelOf(text)).toBeUndefined();
    expect(text).not.toMatch(/Annie|Bobby/);
  }
});

test('A skin that operators have hidden is offered to no name', async () => {
  const { ann, owner, people } = await openScene();
  const uuid = await skinOf(ann, 1);
  await owner.patch(`/v2/account/skins/${uuid}`, { hidden: true });
  expect(panelOf((await people.ann.open(`/ui/skins/${uuid}`)).text)).toBeUndefined();
});

test('Fifty names are on one page, and sixty on two', async () => {
  const { owner, people } = await openScene();
  const uuid = await skinOf(owner, 1);
  const names = Array.from({ length: 60 }, (_, n) => `P${String(n).padStart(2, '0')}`);
  const dress = async (name: string) => await owner.put(`/v2/players/${name}`, { skin: uuid });
  for (const name of names.slice(0, 50)) await dress(name);
  expect(panelOf((await people.operator.open(`/ui/skins/${uuid}`)).text)).not.toContain('rel="next"');
  for (const name of names.slice(50)) await dress(name);
  const { text } = await people.operator.open(`/ui/skins/${uuid}`);
  const [, next = ''] = panelOf(text)!.match(/rel="next" href="([^"#]+)/) ?? [];
  const rest = (await people.operator.open(next.replaceAll('&amp;', '&'))).text;
  expect([...namesOn(text), ...namesOn(rest)]).toEqual(names);
  expect(panelOf(rest)).not.toContain('rel="next"');
});

test('A page with names is not compressed, because compression would let others guess them', async () => {
  const { ann, people } = await openScene();
  const uuid = await skinOf(ann, 1);
  const encoding = async () =>
    (await people.ann.open(`/ui/skins/${uuid}`, { headers: { 'Accept-Encoding': 'gzip' } })).headers.get(
      'content-encoding',
    );
  expect(await encoding()).toBe('gzip');
  await ann.put('/v2/players/Steve', { skin: uuid });
  expect(await encoding()).toBeNull();
});
