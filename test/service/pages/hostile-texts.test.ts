import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { insertAccount } from '../../../src/server/store/accounts.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { appendToLog, insertReport } from '../../../src/server/store/moderation.ts';
import { workersChromium } from '../../support/chromium/chromium.ts';
import { pageAddresses } from '../../support/pages/addresses.ts';
import { HOSTILE_TEXTS, MARKUP_TEXTS } from '../../support/pages/hostile-texts.ts';
import { openPage, signIn } from '../../support/pages/watched-page.ts';
import { capePng } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { readZip } from '../../support/server/read-zip.ts';
import { openOwnStore, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { accountRow } from '../../support/server/stored-accounts.ts';
import { sampled, testWhole } from '../../support/setup/extent.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await workersChromium();
});

/** SQLite ends a text at the first NUL of a parameter in some functions: it is tested in addresses instead. */
const STORED = HOSTILE_TEXTS.map((text) => text.replaceAll('\u0000', ''));

/** An element, which also ends an attribute in double quotes, and what ends one in single quotes. Scripts run on these. */
const OPENED_TEXTS = MARKUP_TEXTS.slice(1, 3);

/** Addresses that show the texts. */
interface Addresses {
  /** Where scripts could make elements of texts. */
  readonly opened: readonly string[];
  /** Where it is enough to read what the page consists of. */
  readonly read: readonly string[];
}

/** A service whose store holds these texts wherever it holds one, whether or not they could get there through the API. */
async function fill(server: ServerUnderTest): Promise<Addresses> {
  const { owner, dataDir } = server;
  const { body } = await owner.upload('/v2/generate', skinPng(1), { name: 'first' });
  const cape = await owner.upload('/v2/account/capes', capePng(1), { alias: 'cape' });
  const job = (await owner.upload('/v2/queue', skinPng(1))).body.job?.id ?? '';
  const { db } = await openOwnStore(dataDir);
  const rows = await sampleRows(db);
  const uuids = STORED.map((_, index) => (index + 1).toString(16).padStart(32, '0'));
  for (const [index, text] of STORED.entries())
    await insertEverywhere(db, rows, { text, uuid: uuids[index]! });
  expect(cape.status).toBe(201);
  const set = (await owner.json('/v2/sets', { name: 'set', skins: [body.skin?.uuid] })).body.set?.uuid ?? '';
  const samples = { uuid: body.skin?.uuid ?? '', jobId: job, name: 'owner', set };
  const own = uuids.map((uuid) => [`/ui/skins/${uuid}`, `/ui/jobs/${uuid}`, `/ui/sets/${uuid}`]);
  return {
    opened: [
      ...pageAddresses(samples),
      '/ui/operator/reports?state=closed',
      ...own.filter((_, index) => OPENED_TEXTS.includes(STORED[index]!)).flat(),
    ],
    read: own.filter((_, index) => !OPENED_TEXTS.includes(STORED[index]!)).flat(),
  };
}

type SampleRows = Awaited<ReturnType<typeof sampleRows>>;

/** A row of each table that texts of people are in. */
async function sampleRows(db: Db) {
  const [skin, cape, user, key, job] = await Promise.all([
    db.selectFrom('skins').selectAll().executeTakeFirstOrThrow(),
    db.selectFrom('capes').selectAll().executeTakeFirstOrThrow(),
    db.selectFrom('users').select('id').executeTakeFirstOrThrow(),
    db.selectFrom('api_keys').selectAll().executeTakeFirstOrThrow(),
    db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow(),
  ]);
  return { skin, cape, user, key, job };
}

/** Stores a text wherever one of people may be. */
async function insertEverywhere(
  db: Db,
  { skin, cape, user, key, job }: SampleRows,
  { text, uuid }: { readonly text: string; readonly uuid: string },
): Promise<void> {
  const { id: _, ...skinRow } = skin;
  await db
    .insertInto('skins')
    .values({ ...skinRow, uuid, name: text })
    .execute();
  const times = { created_at: 1, changed_at: 1 };
  await db
    .insertInto('sets')
    .values({
      uuid,
      owner: skin.owner,
      name: text,
      slug: uuid,
      namespace: uuid,
      visibility: 'public',
      ...times,
    })
    .execute();
  await db
    .insertInto('capes')
    .values({ ...cape, uuid, alias: text })
    .execute();
  const fallen = { plan: text, role: 'operator', created_at: 1, disabled_at: 1 } as const;
  await db
    .insertInto('users')
    .values({ id: uuid, name: text, ...fallen })
    .execute();
  const bound = JSON.stringify([text]);
  const bindings = { allowed_ips: bound, allowed_origins: bound, allowed_agents: bound };
  await db
    .insertInto('api_keys')
    .values({ ...key, id: uuid.slice(8), hash: uuid.repeat(2), name: text, ...bindings })
    .execute();
  const { id: __, ...jobRow } = job;
  const failed = {
    status: 'failed',
    skin_uuid: null,
    error_code: 'job_failed',
    error_message: text,
  } as const;
  await db
    .insertInto('jobs')
    .values({ ...jobRow, ...failed, uuid, request_key: uuid, name: text, source: text })
    .execute();
  const trouble = { last_error_code: 'x', last_error_message: text, last_error_at: 1 };
  await insertAccount(db, accountRow({ uuid, owner: job.owner, name: text, ...trouble }));
  await db
    .insertInto('identities')
    .values({ issuer: text, subject: text, user_id: user.id, created_at: 1 })
    .execute();
  await insertReport(db, {
    kind: 'skin',
    subject: uuid,
    reporter: text,
    reason: 'other',
    text,
    created_at: 1,
  });
  await db
    .insertInto('blocked_images')
    .values({ hash: uuid.repeat(2), note: text, blocked_by: text, blocked_at: 1 })
    .execute();
  await appendToLog(db, { at: 1, operator: text, action: 'hide_skin', subject: text, note: text });
}

/** Pages that may be searched for a text. They show it in the field for it. */
const SEARCHES = ['/ui/gallery', '/ui/skins', '/ui/operator/users'];
const FIELD = 'input[name="filter"]';

/** What a field shows of a text: no page holds control characters, and a field no line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are replaced
const shown = (text: string) => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');

/** Addresses that hold a text themselves, of pages that should not show it. */
function refusing(text: string): string[] {
  const coded = encodeURIComponent(text);
  return [
    `/ui/gallery?after=${coded}`,
    `/ui/gallery?sort=${coded}`,
    `/ui/jobs?status=${coded}`,
    `/ui/skins?deleted=${coded}`,
    `/ui/make?from=${coded}`,
    `/ui/sign-in/link?secret=${coded}`,
    `/ui/operator/reports?state=${coded}`,
    `/ui/skins/${coded}`,
    `/ui/jobs/${coded}`,
    `/ui/nowhere/${coded}`,
  ];
}

/** What no page of ours has: elements, attributes and comments that came from a text. A comment hides what follows. */
const FOREIGN = `((document) => {
  const comments = document.evaluate('//comment()', document, null, XPathResult.STRING_TYPE, null).stringValue;
  if (comments !== '') return ['a comment: ' + comments.slice(0, 200)];
  const ownStyle = document.querySelector('link[rel="stylesheet"]') ? null : document.querySelector('head > style');
  const found = [...document.querySelectorAll('iframe, svg, style, b, base, object, embed, meta[http-equiv], img[src="x"]')]
    .filter((one) => one !== ownStyle && !one.matches('svg.bars'));
  const scripts = [...document.querySelectorAll('script')]
    .filter((one) => !one.src.startsWith(location.origin + '/ui/assets/'));
  const acting = [...document.querySelectorAll('*')].filter((one) =>
    [...one.attributes].some(({ name, value }) => /^on|^(autofocus|srcdoc|style)$/.test(name) ||
      (/^(href|src|action|formaction)$/.test(name) && new URL(value, location.href).origin !== location.origin)));
  return [...found, ...scripts, ...acting].map((one) => one.outerHTML.slice(0, 200));
})`;

/** Links of the start page and of its frame that lead away. */
const OUR_LINKS = ['https://github.com/yushijinhun/authlib-injector'];

async function expectOnlyText(page: Page, address: string): Promise<void> {
  expectNothingForeign(address, await page.evaluate(`${FOREIGN}(document)`));
}

function expectNothingForeign(address: string, foreign: readonly string[]): void {
  const found = foreign.filter((one) => !OUR_LINKS.some((link) => one.includes(link)));
  expect([address, found]).toEqual([address, []]);
}

/** What a page was read to be. */
interface Read {
  readonly status: number;
  /** What the field for a search shows, on a page that has one. */
  readonly filter?: string;
}

type Reader = (address: string) => Promise<Read>;

/** Reads addresses as `page` would, without going there: as a browser that runs no scripts. */
async function openReader(page: Page, { url }: ServerUnderTest): Promise<Reader> {
  const { page: reader } = await openPage(browser);
  const empty = `${url}/empty`; // a page without a policy, which would let no script read HTML
  await reader.route(empty, async (route) => await route.fulfill({ contentType: 'text/html', body: '' }));
  await reader.goto(empty);
  return async (address) => {
    const answer = await page.request.get(`${url}${address}`, { headers: { accept: 'text/html' } });
    const html = JSON.stringify(await answer.text());
    const read = `new DOMParser().parseFromString(${html}, 'text/html')`;
    const [foreign, filter] = await reader.evaluate<[string[], string | undefined]>(
      `((read) => [${FOREIGN}(read), read.querySelector('${FIELD}')?.value])(${read})`,
    );
    expectNothingForeign(address, foreign);
    return { status: answer.status(), ...(filter !== undefined && { filter }) };
  };
}

const isOfStatus = (complaint: string) => complaint.includes('the server responded with a status of 4');

test('Hostile texts stay text on every page, with scripts and without', async () => {
  const server = await runServer();
  const addresses = await fill(server);
  const { page, complaints } = await openPage(browser, { userAgent: STORED.slice(0, 6).join(' ') });
  await signIn(page, server);
  const read = await openReader(page, server);
  // What scripts do is the same on many pages: some of them in `npm test`, and all of them are read.
  for (const address of sampled(addresses.opened, 16)) {
    const answer = await page.goto(`${server.url}${address}`);
    expect(answer?.status(), address).toBe(200);
    await expectOnlyText(page, address);
  }
  for (const address of [...addresses.opened, ...sampled(addresses.read, 3)]) {
    expect((await read(address)).status, address).toBe(200);
  }
  expect(complaints.filter((complaint) => !isOfStatus(complaint))).toEqual([]);
});

/** Names of keys, with as many texts in each as a name may hold. */
const KEY_NAMES = [0, 2, 4].map((index) => `${STORED[index]}${STORED[index + 1]}`.slice(0, 64));

/** What people confirm, each with a text of someone else. The texts get there as to all pages, which are read above. */
testWhole.each([true, false])(
  'Hostile texts stay text in questions and messages of forms, with scripts: %s',
  async (javaScriptEnabled) => {
    const server = await runServer();
    await fill(server);
    const { page, complaints } = await openPage(browser, { javaScriptEnabled });
    await signIn(page, server);
    const last = STORED.length.toString(16).padStart(32, '0');
    await page.goto(`${server.url}/ui/skins`);
    await page.locator(`input[value="${last}"]`).check();
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await page.getByRole('heading', { name: 'Delete this skin?' }).waitFor();
    await expectOnlyText(page, 'delete');
    for (const name of KEY_NAMES) {
      await page.goto(`${server.url}/ui/account/keys`);
      const form = page.locator('form').filter({ hasText: 'Create key' });
      await form.getByLabel('Name').fill(name);
      await form.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('heading', { name: 'Your new key' }).waitFor();
      await expectOnlyText(page, name);
    }
    expect(complaints).toEqual([]);
  },
);

test('Hostile texts stay text in the file names and lines of an export', async () => {
  const server = await runServer();
  await fill(server);
  const { bytes } = await server.owner.get('/v2/me/skins.zip');
  const files = readZip(bytes);
  const names = [...files.keys()];
  expect(names).toHaveLength(STORED.length + 2);
  expect(names.filter((name) => !/^(?:skins\.lock|skins\/[\w-]+\.png)$/.test(name))).toEqual([]);
  const lines = String(files.get('skins.lock')).trimEnd().split('\n');
  const told = lines.map((line) => (JSON.parse(line) as { name?: string }).name);
  expect(told.toSorted()).toEqual(['first', ...STORED].toSorted());
});

test('Hostile texts in addresses stay text, whatever the answer is', async () => {
  const server = await runServer();
  const { page, complaints } = await openPage(browser);
  await signIn(page, server);
  const read = await openReader(page, server);
  for (const [place, text] of HOSTILE_TEXTS.entries()) {
    for (const path of isWhole ? SEARCHES : [SEARCHES[place % SEARCHES.length]!]) {
      const address = `${path}?filter=${encodeURIComponent(text)}`;
      const { status, filter } = await read(address);
      expect(status, address).toBe(200);
      // A text longer than any name counts as none.
      expect(filter, address).toBe(filter === '' && text.length > 32 ? '' : shown(text));
      if (!OPENED_TEXTS.includes(text)) continue;
      await page.goto(`${server.url}${address}`);
      await expectOnlyText(page, address);
    }
  }
  for (const address of sampled(HOSTILE_TEXTS.slice(0, 3).flatMap(refusing), 3)) {
    expect((await read(address)).status, address).toBeLessThan(500);
  }
  for (const address of sampled(OPENED_TEXTS.slice(0, 1).flatMap(refusing), 3)) {
    const answer = await page.goto(`${server.url}${address}`);
    expect(answer?.status(), address).toBeLessThan(500);
    await expectOnlyText(page, address);
  }
  expect(complaints.filter((complaint) => !isOfStatus(complaint))).toEqual([]);
});
