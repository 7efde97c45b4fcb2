import { expect, test } from 'vitest';
import { insertAccount } from '../../../src/server/store/accounts.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { LogLines } from '../../support/server/log-lines.ts';
import { openOwnStore, runServer } from '../../support/server/running-server.ts';
import { accountRow } from '../../support/server/stored-accounts.ts';

/** Makes a new address of the feed as a person with this key. */
async function makeAddress(url: string, key: string | undefined): Promise<string> {
  const person = new PlainBrowser(url);
  await person.signIn(key);
  const { status, text } = await person.open('/ui/operator/feed', { form: {} });
  expect(status).toBe(200);
  return /<code>(http[^<]*)<\/code>/.exec(text)?.[1] ?? '';
}

const UNTIL = Date.UTC(2099, 0, 1, 4, 55);

test('A feed at a secret address tells an operator of open reports, resting accounts and the day', async () => {
  const log = new LogLines();
  const { url, owner, key, dataDir } = await runServer({
    logLevel: 'info',
    logStream: log,
    site: { name: 'A & B' },
  });
  const { body } = await owner.upload('/v2/generate', skinPng(1), { name: 'Knight' });
  const report = { reason: 'offensive', text: '<b>Look & see</b> ]]> \u0001' };
  await owner.json(`/v2/skins/${body.skin?.uuid}/report`, report);
  const { db } = await openOwnStore(dataDir);
  await insertAccount(db, accountRow({ name: 'AnvilAnna', cool_until: UNTIL }));
  const address = await makeAddress(url, key);
  expect(address).toMatch(`${url}/ui/news.atom?secret=`);
  const answer = await fetch(address);
  const text = await answer.text();
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    200,
    'application/atom+xml; charset=utf-8',
    'private, no-cache',
  ]);
  const titles = [...text.matchAll(/<entry><id>([^<]*)<\/id><title>([^<]*)<\/title>/g)];
  const day = new Date().toISOString().slice(0, 10);
  const rest = 'AnvilAnna rests until 2099-01-01 04:55 UTC';
  expect(titles.map(([, id, title]) => [id, title])).toEqual([
    [`${url}/ui/operator#${day}`, `1 open report, ${rest}, 1 skin in 24 hours, nothing failed`],
    [expect.stringMatching(/#rest-[0-9a-f]{32}-2099-01-01T04:55:00.000Z$/), rest],
    [`${url}/ui/operator#report-1`, 'Offensive: Knight'],
  ]);
  expect(text).toContain(`href="${url}/ui/operator/reports"`);
  expect(text).toContain(`&lt;a href=&quot;${url}/ui/operator/reports&quot;&gt;1 open report`);
  expect(text).toContain('&amp;lt;b&amp;gt;Look &amp;amp; see');
  const tag = String(answer.headers.get('etag'));
  const again = await fetch(address, { headers: { 'if-none-match': tag } });
  expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'private, no-cache']);
  expect((await owner.get('/metrics')).bytes.toString()).toContain('\nskinsmith_open_reports 1\n');
  await owner.json('/v2/account/reports/1/close', {});
  const after = await fetch(address, { headers: { 'if-none-match': tag } });
  expect([after.status, (await after.text()).includes('report-1')]).toEqual([200, false]);
  const secret = address.split('=')[1]!;
  expect([secret.length, text.includes(secret), log.text.includes(secret)]).toEqual([43, false, false]);
  expect(JSON.stringify(await db.selectFrom('meta').selectAll().execute())).not.toContain(secret);
});

test('The address of a feed lasts until its operator makes another or is disabled, and is for nobody else', async () => {
  const first = await runServer();
  const old = await makeAddress(first.url, first.key);
  await first.owner.json('/v2/account/users', { name: 'ann' });
  const { db } = await openOwnStore(first.dataDir);
  await db.updateTable('users').set({ role: 'operator' }).where('name', '=', 'ann').execute();
  const { body } = await first.owner.json('/v2/account/keys', { user: 'ann', scopes: ['read', 'operator'] });
  await first.close();
  const { key } = first;
  const { url } = await runServer({ dataDir: first.dataDir });
  const statusOf = async (address: string) => {
    const { pathname, search } = new URL(address);
    return (await fetch(`${url}${pathname}${search}`)).status;
  };
  expect(await statusOf(old)).toBe(200);
  const own = await makeAddress(url, key);
  for (const wrong of [
    old,
    own.slice(0, -1),
    `${own}A`,
    own.split('?')[0]!,
    own.replace(/=.*/, `=${'A'.repeat(43)}`),
  ])
    expect([wrong, await statusOf(wrong)]).toEqual([wrong, 404]);
  const hers = await makeAddress(url, body.key?.secret);
  expect([await statusOf(own), await statusOf(hers)]).toEqual([200, 200]);
  await db.updateTable('users').set({ disabled_at: 1 }).where('name', '=', 'ann').execute();
  expect([await statusOf(own), await statusOf(hers)]).toEqual([200, 404]);
  await db.updateTable('users').set({ disabled_at: null, role: 'user' }).where('name', '=', 'ann').execute();
  expect(await statusOf(hers)).toBe(404);
});
