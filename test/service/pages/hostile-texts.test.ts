import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertAccount } from '../../../src/server/store/accounts.ts';
import { appendToLog } from '../../../src/server/store/operator-log.ts';
import { insertReport } from '../../../src/server/store/reports.ts';
import { startChromium } from '../../support/chromium/chromium.ts';
import { pageAddresses } from '../../support/pages/addresses.ts';
import { HOSTILE_TEXTS } from '../../support/pages/hostile-texts.ts';
import { openPage, signIn } from '../../support/pages/watched-page.ts';
import { capePng } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { openOwnStore, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { accountRow } from '../../support/server/stored-accounts.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
});

afterAll(async () => {
  await browser?.close();
});

/** SQLite ends a text at the first NUL of a parameter in some functions: it is tested in addresses instead. */
const STORED = HOSTILE_TEXTS.map((text) => text.replaceAll('\u0000', ''));

/**
 * A service whose store holds these texts wherever it holds one, whether or not they could get there through the API.
 * @returns addresses that show them
 */
async function fill(server: ServerUnderTest): Promise<string[]> {
  const { owner, dataDir } = server;
  const { body } = await owner.upload('/v2/generate', skinPng(1), { name: 'first' });
  const cape = await owner.upload('/v2/account/capes', capePng(1), { alias: 'cape' });
  const job = (await owner.upload('/v2/queue', skinPng(1))).body.job?.id ?? '';
  const { db } = await openOwnStore(dataDir);
  const skin = await db.selectFrom('skins').selectAll().executeTakeFirstOrThrow();
  const capeRow = await db.selectFrom('capes').selectAll().executeTakeFirstOrThrow();
  const owned = await db.selectFrom('users').select('id').executeTakeFirstOrThrow();
  const uuids: string[] = [];
  for (const [index, text] of STORED.entries()) {
    const uuid = (index + 1).toString(16).padStart(32, '0');
    uuids.push(uuid);
    const { id: _, ...row } = skin;
    await db
      .insertInto('skins')
      .values({ ...row, uuid, name: text })
      .execute();
    await db
      .insertInto('capes')
      .values({ ...capeRow, uuid, alias: text })
      .execute();
    await db
      .insertInto('users')
      .values({ id: uuid, name: text, plan: text, role: 'operator', created_at: 1, disabled_at: 1 })
      .execute();
    await insertAccount(
      db,
      accountRow({
        uuid,
        name: text,
        last_error_code: 'x',
        last_error_message: text,
        last_error_at: 1,
      }),
    );
    await db
      .insertInto('identities')
      .values({ issuer: text, subject: text, user_id: owned.id, created_at: 1 })
      .execute();
    await insertReport(db, { skin_uuid: uuid, reporter: text, reason: 'other', text, created_at: 1 });
    await db
      .insertInto('blocked_images')
      .values({ hash: uuid.repeat(2), note: text, blocked_by: text, blocked_at: 1 })
      .execute();
    await appendToLog(db, { at: 1, operator: text, action: 'hide_skin', subject: text, note: text });
    await db.updateTable('jobs').set({ name: text, source: text }).where('uuid', '=', job).execute();
  }
  expect(cape.status).toBe(201);
  const samples = { uuid: body.skin?.uuid ?? '', jobId: job };
  return [...pageAddresses(samples), ...uuids.map((uuid) => `/ui/skins/${uuid}`)];
}

/** Addresses that hold a text themselves; their pages show it. */
function echoing(text: string): string[] {
  const coded = encodeURIComponent(text);
  return [
    `/ui/gallery?filter=${coded}`,
    `/ui/skins?filter=${coded}`,
    `/ui/operator/users?filter=${coded}`,
    `/ui/nowhere/${coded}`,
  ];
}

/** The same, of pages that should not show it. */
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
  ];
}

/** What no page of ours has: elements and attributes that came from a text. */
const FOREIGN = `(() => {
  const found = [...document.querySelectorAll('iframe, svg, style, b, base, object, embed, meta[http-equiv], img[src="x"]')];
  const scripts = [...document.querySelectorAll('script')].filter((one) => !one.src.startsWith(location.origin + '/ui/assets/'));
  const acting = [...document.querySelectorAll('*')].filter((one) =>
    [...one.attributes].some(({ name, value }) => /^on|^(autofocus|srcdoc|style)$/.test(name) ||
      (/^(href|src|action|formaction)$/.test(name) && new URL(value, location.href).origin !== location.origin)));
  return [...found, ...scripts, ...acting].map((one) => one.outerHTML.slice(0, 200));
})()`;

/** Links of the start page and of its frame that lead away. */
const OUR_LINKS = ['https://github.com/yushijinhun/authlib-injector'];

async function expectOnlyText(page: Page, address: string): Promise<void> {
  const foreign = (await page.evaluate(FOREIGN)) as string[];
  expect([address, foreign.filter((one) => !OUR_LINKS.some((link) => one.includes(link)))]).toEqual([
    address,
    [],
  ]);
}

const isOfStatus = (complaint: string) => complaint.includes('the server responded with a status of 4');

test.each([true, false])(
  'Hostile texts stay text on every page, with scripts: %s',
  async (javaScriptEnabled) => {
    const server = await runServer();
    const addresses = await fill(server);
    const { page, complaints } = await openPage(browser, {
      javaScriptEnabled,
      userAgent: STORED.slice(0, 6).join(' '),
    });
    await signIn(page, server);
    for (const address of addresses) {
      const answer = await page.goto(`${server.url}${address}`);
      expect(answer?.status(), address).toBe(200);
      await expectOnlyText(page, address);
    }
    expect(complaints.filter((complaint) => !isOfStatus(complaint))).toEqual([]);
  },
);

test('Hostile texts in addresses stay text, whatever the answer is', async () => {
  const server = await runServer();
  const { page, complaints } = await openPage(browser);
  await signIn(page, server);
  for (const address of [...HOSTILE_TEXTS.flatMap(echoing), ...HOSTILE_TEXTS.slice(0, 3).flatMap(refusing)]) {
    const answer = await page.goto(`${server.url}${address}`);
    expect(answer?.status(), address).toBeLessThan(500);
    await expectOnlyText(page, address);
  }
  expect(complaints.filter((complaint) => !isOfStatus(complaint))).toEqual([]);
});
