import type { Browser } from 'playwright-core';
import { request } from 'undici';
import { beforeAll, describe, expect, test } from 'vitest';
import { PAGE_ROUTES } from '../../../src/pages/page-routes.ts';
import { workersChromium } from '../../support/chromium/chromium.ts';
import { addressOf, pageAddresses } from '../../support/pages/addresses.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { openPage, signIn } from '../../support/pages/watched-page.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { webServer } from '../../support/server/web-server.ts';
import { sampled, testWhole } from '../../support/setup/extent.ts';

guardAgainstLeaks();

let browser: Browser;

beforeAll(async () => {
  browser = await workersChromium();
});

const SAMPLES = {
  uuid: '0'.repeat(32),
  jobId: 'none',
  id: '1',
  name: 'ann',
  hash: 'a'.repeat(64),
  set: 'none',
};
const FORMS = PAGE_ROUTES.filter(({ method }) => method === 'POST').map(({ path }) => path);

async function signedIn({ url, key }: ServerUnderTest): Promise<PlainBrowser> {
  const visitor = new PlainBrowser(url);
  await visitor.signIn(key);
  return visitor;
}

const ELSEWHERE: readonly (readonly [says: string, sent: Readonly<Record<string, string>>])[] = [
  ['another site says so', { 'sec-fetch-site': 'cross-site' }],
  ['another host of this site says so', { 'sec-fetch-site': 'same-site' }],
  ['the origin is another one', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
  ['the origin is hidden', { 'sec-fetch-site': '', origin: 'null' }],
  ['nothing says where it comes from', { 'sec-fetch-site': '' }],
];

test.each(ELSEWHERE.map((row, place) => [...row, place] as const))(
  'No form works if %s',
  async (_, sent, place) => {
    const server = await runServer();
    const visitor = await signedIn(server);
    const { 'sec-fetch-site': site, ...rest } = sent;
    const own = new URL(server.url).host;
    // Each form is sent by one of them in `npm test`: they are refused before anyone looks what they do.
    const forms = sampled(FORMS, ELSEWHERE.length, place);
    expect(forms.length).toBeGreaterThan(5);
    for (const path of forms) {
      const headers = { ...rest, ...(site !== '' && { 'sec-fetch-site': site }) };
      const answer = await fetch(`${server.url}${addressOf(path, SAMPLES)}`, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          accept: 'text/html',
          host: own,
          cookie: visitor.cookie ?? '',
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
        body: 'disabled=yes',
      });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  },
);

/** How a form is answered that a page of `origin` sends to the server under the name `host`. */
async function sendForm({ url }: ServerUnderTest, headers: Readonly<Record<string, string>>) {
  const answer = await request(`${url}/ui/sign-out`, { method: 'POST', headers });
  return { status: answer.statusCode, text: await answer.body.text() };
}

describe('A form that is sent to a host name of the server', () => {
  const LAN = 'skins.lan:7546';

  test('is refused if any site could have that name, and the answer says what to do', async () => {
    const server = await runServer();
    const sites: Record<string, string>[] = [{}, { 'sec-fetch-site': 'same-origin' }];
    for (const site of sites) {
      const { status, text } = await sendForm(server, { host: LAN, origin: `http://${LAN}`, ...site });
      expect([status, text]).toEqual([403, expect.stringContaining(`--public-url http://${LAN}`)]);
    }
    expect((await sendForm(server, { host: LAN, 'sec-fetch-site': 'same-origin' })).status).toBe(403);
    expect((await sendForm(server, { host: '%', 'sec-fetch-site': 'same-origin' })).status).toBe(400);
  });

  test.each([
    ['localhost:8080', 'http://localhost:8080'],
    ['192.168.1.5:8080', 'http://192.168.1.5:8080'],
    ['[fe80::1]', 'http://[fe80::1]'],
    [LAN, `https://${LAN}`],
  ])('works at %s for a page of %s, an address that no attacker can redirect', async (host, origin) => {
    expect((await sendForm(await runServer(), { host, origin })).status).toBe(303);
  });

  test.each([
    ['is reached at', { publicUrl: 'http://skins.lan' }],
    ['takes skins from the pages of', { allowedOrigins: [`http://${LAN}`] }],
  ])('works at a name for which the operator says that the server %s it', async (_, options) => {
    const server = await runServer(options);
    expect((await sendForm(server, { host: LAN, origin: `http://${LAN}` })).status).toBe(303);
    const other = 'http://skins.example:7546';
    expect((await sendForm(server, { host: 'skins.example:7546', origin: other })).status).toBe(403);
  });

  test('works through a proxy that names the host, if that proxy is trusted', async () => {
    const headers = { host: 'inner:80', 'x-forwarded-host': LAN, origin: `http://${LAN}` };
    const publicUrl = 'http://skins.lan';
    const trusting = await runServer({ publicUrl, trustProxy: 'loopback' });
    expect((await sendForm(trusting, headers)).status).toBe(303);
    expect((await sendForm(await runServer({ publicUrl }), headers)).status).toBe(403);
  });
});

test('Jobs of visitors are not shown under a name that any site could have', async () => {
  const server = await runServer();
  const anonymous = server.anonymous();
  const { body } = await anonymous.upload('/v2/generate', skinPng(1));
  const job = String(body.links['job']).replace('/v2/queue/', '');
  const get = async (path: string, headers: Record<string, string>) => {
    const sent = { accept: 'text/html', 'accept-language': 'en', 'accept-encoding': 'gzip', ...headers };
    const answer = await request(`${server.url}${path}`, { headers: sent });
    const end = path.endsWith('/events') && answer.statusCode === 200;
    const text = end ? '' : await answer.body.text();
    answer.body.destroy();
    return { status: answer.statusCode, text };
  };
  const host = 'skins.lan:7546';
  for (const path of ['/ui/jobs', '/ui/jobs/events']) {
    const refused = await get(path, { host });
    expect([path, refused.status]).toEqual([path, 403]);
    expect(refused.text).toContain(`--public-url http://${host}`);
    expect(refused.text).not.toContain(job);
    for (const proved of [{}, { host, 'sec-fetch-site': 'none' }] as Record<string, string>[])
      expect([path, proved, (await get(path, proved)).status]).toEqual([path, proved, 200]);
  }
  // Who knows the job may see it.
  expect((await get(`/ui/jobs/${job}`, { host })).status).toBe(303);
});

// The forms are tried above with what a browser says of where they come from, and the header against frames below.
testWhole(
  'A page of another site can neither send a form of a person who is signed in, nor frame a page',
  async () => {
    const server = await runServer();
    const { body } = await server.owner.upload('/v2/generate', skinPng(1));
    const skin = `${server.url}/ui/skins/${body.skin?.uuid}`;
    const evil = await webServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<form method="post" action="${skin}/delete"><button>Win</button></form><iframe src="${skin}"></iframe>`,
      );
    });
    const { page } = await openPage(browser);
    await signIn(page, server);
    // Another name of this machine is another site.
    await page.goto(evil.url.replace('127.0.0.1', 'localhost'));
    expect(
      await page
        .frames()[1]
        ?.evaluate('document.body.innerText')
        .catch(() => 'blocked'),
    ).not.toContain('Download');
    await page.getByRole('button', { name: 'Win' }).click();
    await page.waitForURL(/delete$/);
    expect((await server.owner.get(`/v2/skins/${body.skin?.uuid}`)).status).toBe(200);
  },
);

test('Every page except the one for frames forbids framing, and is for its own origin only', async () => {
  const server = await runServer();
  const { body } = await server.owner.upload('/v2/generate', skinPng(1));
  const job = (await server.owner.upload('/v2/queue', skinPng(1))).body.job?.id ?? '';
  const visitor = await signedIn(server);
  const addresses = pageAddresses({ uuid: body.skin?.uuid ?? '', jobId: job, name: 'owner', set: 'none' });
  for (const address of [...addresses, '/', '/ui/nowhere'].filter((one) => !one.startsWith('/embed/'))) {
    const { headers } = await visitor.open(address, { headers: { origin: 'https://evil.example' } });
    expect([address, headers.get('content-security-policy')?.includes("frame-ancestors 'none'")]).toEqual([
      address,
      true,
    ]);
    expect([address, headers.get('access-control-allow-origin')]).toEqual([address, null]);
    expect(headers.get('cache-control')).toContain('no-store');
  }
});

test('A session that another person planted is not taken over at sign-in', async () => {
  const server = await runServer();
  const attacker = await signedIn(server);
  const planted = attacker.cookie;
  const victim = new PlainBrowser(server.url);
  for (const cookie of [planted, `skinsmith=${'A'.repeat(43)}`]) {
    victim.cookie = cookie;
    await victim.signIn(server.key);
    expect(victim.cookie).toMatch(/^skinsmith=[\w-]{43}$/);
    expect(victim.cookie).not.toBe(cookie);
  }
  // What was planted is no session any more.
  expect((await attacker.open('/ui/sessions')).headers.get('location')).toBe(
    '/ui/sign-in?next=%2Fui%2Fsessions',
  );
});

test('Reports from a page have the same limits as reports over HTTP, whatever browser sends them', async () => {
  const server = await runServer();
  const statuses: number[] = [];
  for (let number = 0; number < 12; number++) {
    const { body } = await server.owner.upload('/v2/generate', skinPng(number));
    const form = { reason: 'other', text: 'x' };
    const visitor = new PlainBrowser(server.url);
    const { status, headers, text } = await visitor.open(`/ui/skins/${body.skin?.uuid}/report`, { form });
    statuses.push(status);
    const seconds = Number(headers.get('retry-after')).toLocaleString('en');
    if (status === 429) expect(text).toContain(`Wait ${seconds} s and try again`);
  }
  expect(statuses).toEqual([...Array<number>(10).fill(303), 429, 429]);
  expect((await server.owner.get('/v2/account/reports?size=128')).body.reports).toHaveLength(10);
});

test('No page leads to another host, whatever the request', async () => {
  const server = await runServer();
  const visitor = await signedIn(server);
  const away = ['//evil.example', 'https://evil.example', '/\\evil.example', '%2F%2Fevil.example'];
  let tried = 0;
  const paths = ['/', '/ui', '/ui/', '/ui/sign-in', '/ui/sign-in/link', '/ui/gallery', '/ui/operator'];
  const queries = ['next', 'return', 'redirect', 'url', 'to', 'from', 'after'];
  const asked = away.flatMap((place) => [
    // Of each place and path, and of each name and place, some.
    ...sampled(
      paths.flatMap((path) => queries.map((name) => `${path}?${name}=${place}`)),
      4,
      tried++,
    ),
    `/${place}`,
    `/ui/${place}`,
    `//ui/sign-in${place}`,
  ]);
  for (const address of asked) {
    const { headers } = await visitor.open(address);
    const location = headers.get('location');
    const leads = location === null ? server.url : new URL(location, server.url).origin;
    expect([address, leads]).toEqual([address, server.url]);
  }
});
