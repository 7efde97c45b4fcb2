import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { PAGE_ROUTES } from '../../../src/pages/page-routes.ts';
import { changeAccount } from '../../../src/server/store/accounts.ts';
import { workersChromium } from '../../support/chromium/chromium.ts';
import { addressOf } from '../../support/pages/addresses.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { openPage, signIn, signInByForm } from '../../support/pages/watched-page.ts';
import { runAccountServer } from '../../support/server/account-server.ts';
import { capePng } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';
import { TestCaller } from '../../support/server/test-caller.ts';
import { testWhole } from '../../support/setup/extent.ts';

guardAgainstLeaks();

let browser: Browser;

beforeAll(async () => {
  browser = await workersChromium();
});

const SAMPLES = { uuid: '0'.repeat(32), id: '1', name: 'ann', hash: 'a'.repeat(64) };
const OPERATOR_PAGES = PAGE_ROUTES.filter(({ path }) => path.startsWith('/ui/operator'));

test('Only an operator whose key has that scope opens the pages for operators', async () => {
  const server = await runServer();
  const ann = await server.owner.json('/v2/account/keys', { user: 'ann' });
  const narrow = await server.owner.json('/v2/account/keys', { scopes: ['read', 'skins', 'account'] });
  expect(OPERATOR_PAGES.length).toBeGreaterThan(15);
  const send = async (visitor: PlainBrowser, { method, path }: (typeof OPERATOR_PAGES)[number]) =>
    await visitor.open(addressOf(path, SAMPLES), method === 'POST' ? { form: {} } : {});
  const stranger = new PlainBrowser(server.url);
  for (const route of OPERATOR_PAGES) {
    const { status, headers } = await send(stranger, route);
    expect([route.path, status, headers.get('location')]).toEqual([
      route.path,
      303,
      expect.stringMatching(/^\/ui\/sign-in(?:\?next=%2Fui%2F\S+)?$/),
    ]);
  }
  for (const { body } of [ann, narrow]) {
    const visitor = new PlainBrowser(server.url);
    await visitor.signIn(body.key?.secret);
    for (const route of OPERATOR_PAGES) {
      expect([route.path, (await send(visitor, route)).status]).toEqual([route.path, 403]);
    }
    expect((await visitor.open('/ui/')).text).not.toContain('/ui/operator');
  }
});

// The deeds are tried below, without a browser but for two clicks; `every-page` and `enter-key` look at the pages in one.
testWhole('A day of an operator: a report, a decision, a user, a cape, and the log of it', async () => {
  const server = await runServer();
  const ann = await server.user('ann');
  await server.user('bob');
  const { body } = await ann.upload('/v2/generate', skinPng(1), { name: 'Rude' });
  const skin = `${server.url}/ui/skins/${body.skin?.uuid}`;

  const visitor = await openPage(browser, { javaScriptEnabled: false });
  await visitor.page.goto(skin);
  await visitor.page.getByText('Report this skin').click();
  await visitor.page.getByLabel('Reason').selectOption('offensive');
  await visitor.page.getByLabel('Details').fill('Look at its back');
  await visitor.page.getByRole('button', { name: 'Send report' }).click();
  await visitor.page.getByText('Report sent.').waitFor();

  const { page, complaints } = await openPage(browser);
  await signInByForm(page, server);
  await page.getByRole('link', { name: 'Operator' }).click();
  await page.getByText('The service accepts jobs.').waitFor();
  await page.getByRole('link', { name: '1 open report' }).click();
  await page.getByText('Look at its back').waitFor();
  await page.getByRole('button', { name: /^Block picture/ }).click();
  await page.getByText('The picture is blocked.').waitFor();
  expect((await visitor.page.goto(skin))?.status()).toBe(404);
  await page.getByRole('link', { name: 'Blocked pictures' }).click();
  await page.getByText(/^[0-9a-f]{64}$/).waitFor();
  await page.getByRole('link', { name: 'Reports' }).click();
  await page.getByText('No open reports.').waitFor();
  await page.getByRole('link', { name: 'Show closed reports' }).click();
  await page.getByText('hidden', { exact: true }).waitFor();

  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByLabel('Name contains').fill('AN');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.waitForURL('**/ui/operator/users?filter=AN');
  expect(await page.getByText('bob').count()).toBe(0);
  await page.getByLabel('Name contains').fill('');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.waitForURL((address) => address.search === '');
  await page.getByRole('link', { name: 'ann' }).click();
  await page.getByLabel('Plan', { exact: true }).selectOption('pro');
  await page.getByRole('button', { name: 'Change plan' }).click();
  await page.getByText('Disable', { exact: true }).click();
  expect((await ann.get('/v2/me')).status).toBe(200);
  await page.getByRole('button', { name: 'Disable user' }).click();
  await page.getByText('disabled', { exact: true }).waitFor();
  expect((await ann.get('/v2/me')).status).toBe(403);

  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill('carl');
  await page.getByLabel('Plan', { exact: true }).selectOption('lite');
  await page.getByRole('button', { name: 'Create user' }).click();
  await page.getByRole('heading', { name: 'carl' }).waitFor();
  await page.getByLabel('Name of a new key').fill('laptop');
  await page.getByRole('button', { name: 'Create key' }).click();
  const secret = (await page.locator('dd code').first().textContent()) ?? '';
  await page.getByRole('link', { name: 'I have copied it' }).click();
  await page.getByText('never used').waitFor();
  const carl = new TestCaller(server.url, { key: secret, dataDir: server.dataDir });
  expect((await carl.get('/v2/account/me')).body).toMatchObject({ name: 'carl', plan: { name: 'lite' } });
  await page.reload();
  await page.getByText('last used').waitFor();
  await page.getByText('Revoke', { exact: true }).click();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('No API keys.').waitFor();
  expect((await carl.get('/v2/me')).status).toBe(403);

  await page.getByRole('link', { name: 'Capes' }).click();
  const file = { name: 'cape.png', mimeType: 'image/png', buffer: capePng(1) };
  await page.getByLabel('Picture, 64×32 pixels').setInputFiles(file);
  await page.getByLabel('Alias').fill('Winter');
  await page.getByRole('button', { name: 'Add the cape' }).click();
  await page.getByRole('button', { name: 'Hide: Winter' }).click();
  await page.getByRole('button', { name: 'Show: Winter' }).waitFor();
  await page.getByText('Delete', { exact: true }).click();
  await page.getByRole('button', { name: 'Delete the cape' }).click();
  await page.getByText('No capes yet.').waitFor();

  await page.getByRole('link', { name: 'Log' }).click();
  const told = await page.locator('.list > li').allTextContents();
  expect(told.map((text) => text.trim().split(/\s+/).slice(0, 4).join(' '))).toEqual([
    'owner revoked a key',
    'owner created a key',
    'owner created the user',
    'owner disabled the user',
    'owner changed the plan',
    'owner blocked the picture',
    'owner created a key',
    'owner created a key',
  ]);
  expect(complaints).toEqual([]);
});

// `journeys` hides and undoes in a browser; only the second click is not tried elsewhere.
testWhole(
  'Two clicks on one slot of the report queue decide about one skin, and that can be undone',
  async () => {
    const server = await runServer();
    const ann = await server.user('ann');
    const skins: string[] = [];
    for (const number of [1, 2, 3]) {
      const { body } = await ann.upload('/v2/generate', skinPng(number));
      skins.push(String(body.skin?.uuid));
      await server.owner.json(`/v2/skins/${skins.at(-1)}/report`, { reason: 'other' });
    }
    const { page, complaints } = await openPage(browser);
    await signIn(page, server);
    await page.goto(`${server.url}/ui/operator/reports`);
    const slot = await page
      .getByRole('button', { name: /^Hide:/ })
      .first()
      .boundingBox();
    const click = async () => await page.mouse.click(slot!.x + slot!.width / 2, slot!.y + slot!.height / 2);
    await click();
    await page.getByText('The skin is hidden, and its reports are closed.').waitFor();
    await click();
    const seen = async () =>
      await Promise.all(
        skins.map(async (uuid) => (await server.anonymous().get(`/v2/skins/${uuid}`)).status),
      );
    expect(await seen()).toEqual([200, 200, 404]);
    await page.getByRole('button', { name: /^Undo/ }).click();
    await page
      .getByRole('button', { name: /^Hide:/ })
      .nth(2)
      .waitFor(); // the report is back
    expect(await seen()).toEqual([200, 200, 200]);
    expect(complaints).toEqual([]);
  },
);

test('Undo opens what a decision has closed, and shows again what it has hidden, but opens nothing else', async () => {
  const server = await runServer();
  const ann = await server.user('ann');
  const { body } = await ann.upload('/v2/generate', skinPng(1));
  const skin = `/v2/skins/${body.skin?.uuid}`;
  const report = async (what: string) => {
    await server.anonymous().json(`${what}/report`, { reason: 'other' });
    await ann.json(`${what}/report`, { reason: 'other' });
  };
  const reports = async (state: string) =>
    (await server.owner.get(`/v2/account/reports?state=${state}`)).body.reports?.map(({ id }) => id);
  await server.owner.json(`${skin}/report`, { reason: 'other' });
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  const decide = async (path: string, form: Record<string, string> = {}) =>
    await operator.open(`/ui/operator/${path}`, { form: { decided: '', ...form } });
  await decide('reports/1/close');
  const before = await operator.open('/ui/operator/reports?decided=1');
  expect(before.text).toContain('aria-label="Undo: the skin of report 1"');
  await report(skin);
  await decide(`skins/${body.skin?.uuid}/hidden`, { act: 'hide' });
  expect([await reports('open'), (await ann.get('/v2/me/skins')).status]).toEqual([[], 200]);
  expect((await server.anonymous().get(skin)).status).toBe(404);
  const { headers } = await decide('reports/3/reopen', { decided: '1' });
  expect(headers.get('location')).toBe('/ui/operator/reports?decided=1');
  expect([await reports('open'), await reports('closed')]).toEqual([['3', '2'], ['1']]);
  expect((await server.anonymous().get(skin)).status).toBe(200);
  await decide('reports/1/reopen');
  expect(await reports('open')).toEqual(['3', '2', '1']);
  const { body: made } = await ann.json('/v2/sets', { name: 'Rude', skins: [body.skin?.uuid] });
  const set = (made as unknown as { set: { uuid: string } }).set.uuid;
  await report(`/v2/sets/${set}`);
  await decide(`sets/${set}`, { act: 'hide' });
  await decide('reports/4/reopen');
  expect([await reports('closed'), (await server.anonymous().get('/v2/sets/rude')).status]).toEqual([
    [],
    200,
  ]);
  expect((await decide('reports/99/reopen')).status).toBe(404);
});

test('The overview says in one sentence what has happened, and until when an account rests', async () => {
  const world = await runAccountServer();
  const { server } = world;
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  const sentence = async () =>
    (await operator.open('/ui/operator')).text
      .match(/<p><span class="tag">skinsmith .*/)?.[0]
      .replaceAll(/<[^>]*>/g, '');
  expect(await sentence()).toMatch(/^skinsmith \S+ No open reports, 0 skins in 24 hours, nothing failed$/);
  const without = await operator.open('/ui/operator');
  expect(without.text).toContain('<a href="/ui/account/games">Link an account</a>');
  expect(without.text).toContain('<dt>Success rate, 24 hours</dt><dd>–</dd>');
  const anvil = world.fake.addAccount();
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const { db } = await openOwnStore(server.dataDir);
  const account = await world.link(anvil);
  await changeAccount(db, account, { cool_until: Date.parse(until) });
  const shown = `${until.slice(0, 16).replace('T', ' ')} UTC`;
  expect(await sentence()).toContain(`No open reports, ${anvil.name} rests until ${shown}, 0 skins`);
  const list = await operator.open('/ui/account/games?whose=all');
  expect(list.text).toContain(
    `<span class="tag ">resting until <time datetime="${until}">${shown}</time></span>`,
  );
  expect(list.text).not.toContain('works');
  await changeAccount(db, account, { state: 'paused' });
  expect(await sentence()).toContain('No open reports, 0 skins');
});

test('The hours of the overview are a chart from oldest to newest, and a table from newest to oldest', async () => {
  const { url, key } = await runServer();
  const operator = new PlainBrowser(url);
  await operator.signIn(key);
  const { text } = await operator.open('/ui/operator');
  const hoursIn = (before: string) =>
    [...text.matchAll(new RegExp(`${before}(\\d\\d:00)`, 'g'))].map(([, hour]) => hour);
  const chart = hoursIn('<title>');
  expect([chart.length, hoursIn('<th scope="row">')]).toEqual([24, chart.toReversed()]);
});

test('An invitation signs a new user in once, is shown while it works, and can be revoked', async () => {
  const server = await runServer();
  await server.user('bob');
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  const page = '/ui/operator/users/bob';
  const invite = async () => {
    const { text } = await operator.open(`${page}/invitation`, { form: { act: 'make' } });
    return /<code>(http[^<]*)<\/code>/.exec(text)?.[1]?.replace(server.url, '') ?? '';
  };
  expect((await operator.open(page)).text).not.toContain('An invitation works until');
  const first = await invite();
  const second = await invite();
  expect((await operator.open(page)).text).toContain('An invitation works until');
  const bob = new PlainBrowser(server.url);
  expect([(await bob.open(first)).status, (await bob.open(second)).status]).toEqual([410, 303]);
  expect((await bob.open('/ui/account')).text).toContain('<bdi>bob</bdi>');
  const used = await new PlainBrowser(server.url).open(second);
  expect([used.status, used.text]).toEqual([
    410,
    expect.stringContaining('has been used or revoked, or has expired. Ask the operator for a new one'),
  ]);
  const third = await invite();
  await operator.open(`${page}/invitation`, { form: { act: 'revoke' } });
  expect((await new PlainBrowser(server.url).open(third)).status).toBe(410);
  expect((await operator.open(page)).text).not.toContain('An invitation works until');
  const nobody = await operator.open('/ui/operator/users/nobody/invitation', { form: { act: 'make' } });
  expect(nobody.status).toBe(404);
  const log = (await operator.open('/ui/operator/log')).text;
  expect(log).toMatch(
    /owner<\/bdi> invited the user <a href="\/ui\/operator\/users\/bob"><code class="breaks">bob</,
  );
  expect(log).toMatch(/owner<\/bdi> revoked the invitation of the user <code class="breaks">bob</);
});

test('A form that is refused is shown again with what was typed, and why', async () => {
  const server = await runServer();
  await server.user('bob');
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  const refused = async (path: string, content: Readonly<Record<string, string | File>>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(content)) form.set(name, value);
    const isText = Object.values(content).every((value) => typeof value === 'string');
    const { status, text } = await operator.open(path, {
      form: isText ? (content as Readonly<Record<string, string>>) : form,
    });
    const [, problem = '', shown = ''] =
      /role="alert">([^<]*)<(.*?<\/details>|.*?<\/form>)/s.exec(text) ?? [];
    return { status, problem: problem.trim(), shown };
  };
  const taken = await refused('/ui/operator/users', { name: 'bob', plan: 'pro' });
  expect([taken.status, taken.problem]).toEqual([400, 'User bob already exists.']);
  expect(taken.shown).toMatch(/value="bob".*value="pro" selected/s);
  const file = new File(['GIF89a'], 'cape.gif');
  const cape = await refused('/ui/operator/capes', { alias: 'Red', file });
  expect([cape.status, cape.shown.includes('value="Red"')]).toEqual([400, true]);
  const picture = await refused('/ui/operator/images', { note: 'rude', file });
  expect([picture.status, picture.problem]).toEqual([400, expect.stringMatching(/PNG/)]);
  const hash = await refused('/ui/operator/images', { hash: 'abc', note: 'rude' });
  expect([hash.status, hash.shown.includes('value="rude"')]).toEqual([400, true]);
  const list = { name: 'Guards', visibility: 'private', file: new File(['\n'], 'list.csv') };
  const set = await refused('/ui/sets', list);
  expect(set.status).toBe(400);
  expect(set.shown).toMatch(/value="Guards".*value="private" selected/s);
});

test('The owner of a new server reads what to do first, until there are skins', async () => {
  const server = await runServer();
  const owner = new PlainBrowser(server.url);
  await owner.signIn(server.key);
  expect((await owner.open('/ui/')).text).toContain('First steps');
  expect((await new PlainBrowser(server.url).open('/ui/')).text).not.toContain('First steps');
  await server.owner.upload('/v2/generate', skinPng(1));
  expect((await owner.open('/ui/')).text).not.toContain('First steps');
});

// What is blocked by its file or its hash is tried below, and undone above.
testWhole(
  'An image that was blocked in the report queue can be unblocked there, and its skin shown again',
  async () => {
    const server = await runServer();
    const uuids: string[] = [];
    for (const [number, name] of [
      [1, 'ann'],
      [1, 'bob'],
      [2, 'bob'],
    ] as const) {
      const user = await server.user(`${name}${uuids.length}`);
      const { body } = await user.upload('/v2/generate', skinPng(number));
      uuids.push(String(body.skin?.uuid));
      await server.owner.json(`/v2/skins/${uuids.at(-1)}/report`, { reason: 'other' });
    }
    const { page, complaints } = await openPage(browser, { javaScriptEnabled: false });
    await signIn(page, server);
    await page.goto(`${server.url}/ui/operator/reports`);
    const seen = async () =>
      await Promise.all(
        uuids.map(async (uuid) => (await server.anonymous().get(`/v2/skins/${uuid}`)).status),
      );
    await page
      .getByRole('button', { name: /^Block picture/ })
      .last()
      .click();
    await page.getByText('The picture is blocked.').first().waitFor();
    expect(await page.getByText('The picture is blocked.').count()).toBe(2);
    expect(await seen()).toEqual([404, 404, 200]);
    await page
      .getByRole('button', { name: /^Unblock/ })
      .first()
      .click();
    await page.getByRole('button', { name: /^Undo/ }).first().click();
    expect((await seen()).filter((status) => status === 200)).toHaveLength(2);
    expect(complaints).toEqual([]);
  },
);

test('An owner sees that an operator has hidden the skin', async () => {
  const server = await runServer();
  const { body } = await server.owner.upload('/v2/generate', skinPng(1));
  const path = `/ui/skins/${body.skin?.uuid}`;
  await server.owner.patch(`/v2/account/skins/${body.skin?.uuid}`, { hidden: true });
  const visitor = new PlainBrowser(server.url);
  await visitor.signIn(server.key);
  const { text } = await visitor.open(path);
  expect(text).toContain('The operator of this server has hidden this skin.');
  expect(text).not.toContain('<label for="visibility">');
  expect((await visitor.open(path, { form: { visibility: 'public' } })).status).toBe(403);
});

test('A report names the skin, its owner and its sender, and the owner can be disabled from there and enabled again', async () => {
  const server = await runServer();
  const [ann, bob] = [await server.user('ann'), await server.user('bob')];
  const { body } = await ann.upload('/v2/generate', skinPng(1), { name: 'Rude' });
  const uuid = String(body.skin?.uuid);
  await bob.json(`/v2/skins/${uuid}/report`, { reason: 'other' });
  await server.anonymous().json(`/v2/skins/${uuid}/report`, { reason: 'offensive' });
  const { body: listed } = await server.owner.get('/v2/account/reports');
  expect(listed.reports).toMatchObject([
    { owner: 'ann', reports: 2 },
    { owner: 'ann', reports: 2, reporter: 'bob' },
  ]);
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  const queue = '/ui/operator/reports';
  const { text } = await operator.open(queue);
  expect(text.match(/<strong><a href="\/ui\/skins\/\w+"><bdi>Rude<\/bdi><\/a>/g)).toHaveLength(2);
  expect(text.match(/Skin of <a href="\/ui\/operator\/users\/ann">/g)).toHaveLength(2);
  expect(text).toMatch(/UTC<\/time> by a visitor, one of 2 reports of this skin/);
  expect(text).toMatch(/UTC<\/time> by <a href="\/ui\/operator\/users\/bob"><bdi>bob<\/bdi><\/a>, one of 2/);
  expect(text).toContain('<button class="danger">Disable user</button>');
  const decide = async (disabled: string) =>
    (await operator.open('/ui/operator/users/ann', { form: { disabled, decided: '' } })).headers.get(
      'location',
    );
  expect(await decide('yes')).toBe(queue);
  expect((await ann.get('/v2/me')).status).toBe(403);
  const after = await operator.open(queue);
  expect(after.text.match(/<span class="tag">disabled<\/span>/g)).toHaveLength(2);
  expect(after.text).toContain('>Enable owner</button>');
  expect(await decide('no')).toBe(queue);
  expect((await ann.get('/v2/me')).status).toBe(200);
});

test('A decision about a report leads back to the part of the list where it was', async () => {
  const server = await runServer();
  const ann = await server.user('ann');
  for (const number of [1, 2]) {
    const { body } = await ann.upload('/v2/generate', skinPng(number));
    await server.owner.json(`/v2/skins/${body.skin?.uuid}/report`, { reason: 'other' });
  }
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  const { body } = await server.owner.get('/v2/account/reports');
  const [newest] = body.reports ?? [];
  const { text } = await operator.open(`/ui/operator/reports?after=${newest?.id}`);
  const forms = [
    ...text.matchAll(/<form method="post" action="(\/ui\/operator\/[^"]*)">([\s\S]*?)<\/form>/g),
  ];
  expect(forms).toHaveLength(5);
  for (const [, path = '', inside = ''] of forms) {
    const fields = [...inside.matchAll(/name="(\w+)" value="([^"]*)"/g)];
    const form = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
    const { headers } = await operator.open(path, { form });
    expect([path, headers.get('location')]).toEqual([
      path,
      expect.stringMatching(new RegExp(`^/ui/operator/reports\\?.*\\bafter=${newest?.id}$`)),
    ]);
  }
});

test('Decisions on closed reports lead back to them; operators cannot disable themselves, and private skins have no link', async () => {
  const server = await runServer();
  const uuids: string[] = [];
  for (const number of [1, 2]) {
    const { body } = await server.owner.upload('/v2/generate', skinPng(number));
    uuids.push(String(body.skin?.uuid));
    await server.anonymous().json(`/v2/skins/${uuids.at(-1)}/report`, { reason: 'other' });
  }
  const reports = (await server.owner.get('/v2/account/reports')).body.reports ?? [];
  for (const { id } of reports) await server.owner.json(`/v2/account/reports/${id}/close`, {});
  await server.owner.patch(`/v2/skins/${uuids[0]}`, { visibility: 'private' });
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  const { text } = await operator.open('/ui/operator/reports?state=closed');
  expect(uuids.map((uuid) => text.includes(`href="/ui/skins/${uuid}"`))).toEqual([false, true]);
  expect(text).not.toContain('action="/ui/operator/users/');
  const forms = [
    ...text.matchAll(/<form method="post" action="(\/ui\/operator\/[^"]*)">([\s\S]*?)<\/form>/g),
  ];
  expect(forms.length).toBeGreaterThan(0);
  for (const [, path = '', inside = ''] of forms) {
    const fields = [...inside.matchAll(/name="(\w+)" value="([^"]*)"/g)];
    const form = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
    const { headers } = await operator.open(path, { form });
    expect([path, headers.get('location')]).toEqual([path, expect.stringMatching(/\bstate=closed\b/)]);
  }
});

test('The page of a user shows what others can see, the usage and the last use, and nothing that is private', async () => {
  const server = await runServer();
  const ann = await server.user('ann');
  await server.owner.patch('/v2/account/users/ann', { plan: 'pro' });
  await ann.upload('/v2/generate', skinPng(1), { name: 'Seen' });
  await ann.upload('/v2/generate', skinPng(2), { name: 'Secret', visibility: 'private' });
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  const { text } = await operator.open('/ui/operator/users/ann');
  expect(text).toContain('<div><dt>Skins</dt><dd>2</dd></div>');
  expect(text).toMatch(/<dt>Last use<\/dt><dd><time/);
  expect(text).toContain('aria-label="Skins in the last hour: 2 of 40,000"');
  expect(text).toContain('<bdi>Seen</bdi>');
  expect(text).not.toContain('Secret');
  expect((await operator.open('/ui/operator/users/nobody')).status).toBe(404);
  expect((await operator.open('/ui/operator/users/nobody/keys', { form: { name: 'x' } })).status).toBe(404);
  const own = (await operator.open('/ui/operator/users/owner')).text;
  expect(own).not.toContain('Disable');
});

test('A blocked image is shown to operators only; it is blocked by its file or its hash', async () => {
  const server = await runServer();
  const ann = await server.user('ann');
  const { body } = await ann.upload('/v2/generate', skinPng(1));
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  const file = new FormData();
  file.set('file', new Blob([skinPng(1)], { type: 'image/png' }), 'skin.png');
  file.set('note', 'rude');
  const images = '/ui/operator/images';
  expect((await operator.open(images, { form: file })).headers.get('location')).toBe(images);
  expect((await server.anonymous().get(`/v2/skins/${body.skin?.uuid}`)).status).toBe(404);
  expect((await operator.open(images, { form: { hash: 'a'.repeat(64) } })).status).toBe(303);
  const { text } = await operator.open(images);
  const [picture = ''] = /\/ui\/operator\/images\/\w+\/picture/.exec(text) ?? [];
  expect(text.match(/No picture stored/g)).toHaveLength(1);
  const shown = await operator.open(picture);
  expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(shown.headers.get('cache-control')).toBe('no-store');
  expect((await fetch(`${server.url}${picture}`, { redirect: 'manual' })).status).not.toBe(200);
  const wrong = new FormData();
  wrong.set('file', new Blob(['GIF89a']), 'skin.png');
  expect((await operator.open(images, { form: wrong })).status).toBe(400);
});

test('The overview shows the last 24 hours, the newest failures and the disk space left', async () => {
  let isBroken = false;
  const server = await runServer({ rehearse: async () => (isBroken ? 'job_failed' : undefined) });
  const ann = await server.user('ann');
  const made = await ann.upload('/v2/generate', skinPng(1));
  isBroken = true;
  const lost = await ann.upload('/v2/generate', skinPng(2));
  const stranger = await server.anonymous().upload('/v2/generate', skinPng(3));
  expect([made.status, lost.status >= 500, stranger.status >= 500]).toEqual([200, true, true]);
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  const { text } = await operator.open('/ui/operator');
  expect(text.match(/<rect class="new"/g)).toHaveLength(24);
  expect(text).toMatch(/<title>\d\d:00: 1 new, 2 failed<\/title>/);
  expect(text).toContain('new skins, at most 1 in an hour. Below: failed jobs, at most 2.');
  const [, failures = ''] = /<h2 id="failures">([\s\S]*?)<\/section>/.exec(text) ?? [];
  expect(failures.match(/<strong>job_failed<\/strong>/g)).toHaveLength(2);
  const [newest = '', older = ''] = failures.match(/<p class="quiet">.*<\/p>/g) ?? [];
  expect(newest).toContain('a visitor');
  expect(older).toContain('<a href="/ui/operator/users/ann">');
  expect(text).toMatch(/<dt>Disk space left<\/dt><dd>[\d.]+ [GM]iB<\/dd>/);
  expect(text).toContain('<summary>Limits of the plans</summary>');
});
