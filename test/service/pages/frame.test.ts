import { expect, test } from 'vitest';
import { PAGE_POLICY } from '../../../src/pages/page-endpoint.ts';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { runAccountServer } from '../../support/server/account-server.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { runEmbedded } from '../../support/server/embedded-service.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

const JAVA = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';

test('People get the start page where programs get the key document', async () => {
  const { url } = await runServer();
  const page = await new PlainBrowser(url).open('/');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.text).toContain('<h1>Signed Minecraft skins</h1>');
  for (const accept of ['*/*', 'application/json', JAVA, 'text/html;q=0'])
    for (const agent of ['Java/17.0.12', 'HMCL/3.6.11', 'curl/8.5.0', 'node', '']) {
      const answer = await fetch(url, { headers: { accept, 'user-agent': agent } });
      expect(await answer.json()).toHaveProperty('signaturePublickey');
      expect(answer.headers.get('vary')).toMatch(/Accept,.*User-Agent/);
    }
  expect(page.headers.get('vary')).toMatch(/Accept,.*User-Agent/);
});

test('Pages have a policy that allows nothing from other hosts, and are not cached', async () => {
  const { url } = await runServer();
  const { status, headers } = await new PlainBrowser(url).open('/ui/make');
  expect(status).toBe(200);
  expect(headers.get('content-security-policy')).toBe(PAGE_POLICY);
  expect(headers.get('cache-control')).toBe('private, no-store');
  expect(headers.get('access-control-allow-origin')).toBeNull();
  expect(headers.get('referrer-policy')).toBe('same-origin');
});

test('Pages are in the language that the browser prefers, or that the reader has chosen', async () => {
  const { url } = await runServer();
  const browser = new PlainBrowser(url);
  const german = { 'accept-language': 'de-AT,en;q=0.7' };
  const first = await browser.open('/', { headers: german });
  expect(first.text).toMatch(/<html lang="de">[\s\S]*Sprache[\s\S]*<option value="de" lang="de" selected>/);
  expect(first.headers.get('vary')).toContain('Accept-Language');
  // Only readers of other languages need what scripts say, and errors are pages too.
  const missing = await browser.open('/ui/skins/none', { headers: german });
  expect([missing.status, missing.text]).toEqual([
    404,
    expect.stringMatching(/<html lang="de">.*id="texts"/s),
  ]);
  expect((await browser.open('/')).text).toMatch(/<html lang="en">(?!.*id="texts")/s);
  const referer = `${url}/ui/gallery?sort=popular`;
  const chosen = await browser.open('/ui/language', {
    headers: { ...german, referer },
    form: { language: 'en' },
  });
  expect([chosen.status, chosen.headers.get('location')]).toEqual([303, '/ui/gallery?sort=popular']);
  const [cookie] = chosen.headers.getSetCookie();
  expect(cookie).toMatch(/^skinsmith-language=en; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/);
  const headers = { ...german, cookie: cookie!.split(';', 1)[0]! };
  expect((await browser.open('/', { headers })).text).toContain('<html lang="en">');
  for (const odd of ['tlh', 'en\r\nX: y', ''])
    expect((await browser.open('/ui/language', { form: { language: odd } })).status).toBe(400);
});

test('Assets never change under their names, and are sent compressed to those who take it', async () => {
  const { url } = await runServer();
  const { text } = await new PlainBrowser(url).open('/');
  const addresses = new Set([...text.matchAll(/"(\/ui\/assets\/[^"]+)"/g)].map(([, address]) => address!));
  expect(addresses.size).toBe(6);
  for (const address of addresses) {
    const { status, headers } = await fetch(`${url}${address}`);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-encoding')).toBe('gzip');
    const plain = await fetch(`${url}${address}`, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const bytes = await (await fetch(`${url}${address}`)).bytes();
    expect(Buffer.compare(await plain.bytes(), bytes)).toBe(0);
  }
  for (const other of ['manifest.json', '..%2fcli.cjs', 'page.js', 'THIRD-PARTY-LICENSES.txt']) {
    expect((await fetch(`${url}/ui/assets/${other}`)).status).toBe(404);
  }
});

test('Errors are pages for people and JSON for programs', async () => {
  const { url } = await runServer();
  const browser = new PlainBrowser(url);
  for (const path of ['/ui/skins/00000000000000000000000000000000', '/nowhere', '/ui/nowhere']) {
    const { status, text, headers } = await browser.open(path);
    expect(status).toBe(404);
    expect(text).toContain('<h1>Not found</h1>');
    expect(headers.get('content-security-policy')).toBe(PAGE_POLICY);
    expect(await (await fetch(`${url}${path}`)).json()).toHaveProperty('errors');
  }
  const ofApi = await browser.open('/v2/skins/00000000000000000000000000000000');
  expect(JSON.parse(ofApi.text)).toHaveProperty('errors');
});

test('The page for a missing address shows who is signed in', async () => {
  const { url, key } = await runServer();
  const browser = new PlainBrowser(url);
  expect((await browser.open('/ui/nowhere')).text).toContain('href="/ui/sign-in">Sign in</a>\n</nav>');
  await browser.signIn(key);
  for (const path of ['/ui/nowhere', '/nowhere']) {
    const { status, text } = await browser.open(path);
    expect([status, text.match(/action="\/ui\/sign-out"|href="\/ui\/sign-in"/g)]).toEqual([
      404,
      ['action="/ui/sign-out"'],
    ]);
  }
});

test('The menu marks the current page and its section', async () => {
  const { url, key } = await runServer();
  const browser = new PlainBrowser(url);
  await browser.signIn(key);
  const current = async (path: string) => {
    const [, header = ''] = /<header>([\s\S]*)<\/header>/.exec((await browser.open(path)).text) ?? [];
    return [...header.matchAll(/href="([^"]+)" aria-current="(\w+)"/g)].map(([, ...found]) =>
      found.join(' '),
    );
  };
  expect(await current('/ui/gallery')).toEqual(['/ui/gallery page']);
  expect(await current('/ui/operator/users')).toEqual(['/ui/operator true']);
  expect(await current('/ui/sessions')).toEqual(['/ui/account true']);
  for (const path of ['/', '/ui/api', '/ui/nowhere']) expect([path, await current(path)]).toEqual([path, []]);
});

test('Every page tells operators, and nobody else, how many reports are open', async () => {
  const server = await runServer();
  const uuid = (await server.owner.upload('/v2/generate', skinPng(1))).body.skin?.uuid;
  const operator = new PlainBrowser(server.url);
  await operator.signIn(server.key);
  const menu = async (browser: PlainBrowser) =>
    /href="\/ui\/operator"[^>]*>([^<]*)</.exec((await browser.open('/ui/gallery')).text)?.[1];
  expect(await menu(operator)).toBe('Operator');
  await server.owner.json(`/v2/skins/${uuid}/report`, { reason: 'other' });
  expect(await menu(operator)).toBe('Operator (1)');
  const visitor = new PlainBrowser(server.url);
  const { body } = await server.owner.json('/v2/account/keys', { user: 'ann' });
  await visitor.signIn(String(body.key?.secret));
  expect(await menu(visitor)).toBeUndefined();
});

test('An overlong address is refused, not cut off', async () => {
  const { url } = await runServer();
  const browser = new PlainBrowser(url);
  expect((await browser.open('/ui/make?from=url')).text).not.toMatch(/id="url"[^>]*maxlength/);
  const address = `https://example.org/${'a'.repeat(300)}.png`;
  const { status, text } = await browser.open('/ui/make', { form: { url: address } });
  expect([status, text.includes(address)]).toEqual([400, true]);
  expect(text).toContain('longer than 256 characters');
});

test('A service without pages has only the API', async () => {
  const { url } = await runServer({ pages: undefined });
  const browser = new PlainBrowser(url);
  expect(JSON.parse((await browser.open('/')).text)).toHaveProperty('signaturePublickey');
  expect((await browser.open('/ui/make')).status).toBe(404);
});

test('The embedded service has no pages', async () => {
  const service = await runEmbedded();
  expect((await service.ask('/ui/make')).status).toBe(404);
});

test('After signing in, people get to the requested page, and never to another site', async () => {
  const { url, key } = await runServer();
  const browser = new PlainBrowser(url);
  const asked = await browser.open('/ui/account/keys?size=3');
  const signIn = String(asked.headers.get('location'));
  expect(signIn).toBe('/ui/sign-in?next=%2Fui%2Faccount%2Fkeys%3Fsize%3D3');
  const { text } = await browser.open(signIn);
  expect(text).toContain('name="next" value="/ui/account/keys?size=3"');
  const into = async (next: string) =>
    (await new PlainBrowser(url).open('/ui/sign-in', { form: { key: key!, next } })).headers.get('location');
  expect(await into('/ui/account/keys?size=3')).toBe('/ui/account/keys?size=3');
  expect(await into('/s/00000000')).toBe('/s/00000000');
  for (const next of [
    'https://evil.example/ui/',
    '//evil.example/ui/',
    '/\\evil.example/ui/',
    '/ui/../v2/me',
    'javascript:alert(1)',
    'https:evil.example/ui/',
    '/\t/evil.example/ui/',
    '\\\\evil.example/ui/',
    '/ui/\r\nset-cookie: a=b',
    `/ui/${'a'.repeat(400)}`,
  ])
    expect(new URL(String(await into(next)), url).href, next).toMatch(
      new RegExp(`^${url}/ui/(?:set-cookie:%20a=b)?$`),
    );
});

test('A mistyped address is no page, and an invalid search value is ignored', async () => {
  const { url, key } = await runServer();
  const browser = new PlainBrowser(url);
  await browser.signIn(key);
  for (const path of ['/ui/skins/xyz', '/ui/operator/images?after=z', '/ui/jobs/xyz']) {
    const { status, text } = await browser.open(path);
    expect([path, status]).toEqual([path, path.includes('?') ? 200 : 404]);
    expect(text).not.toMatch(/Invalid|expected|validation_error/);
  }
  for (const path of ['/ui/gallery', '/ui/skins', '/ui/jobs', '/ui/operator/reports', '/ui/operator/users'])
    for (const query of [
      'sort=x',
      'after=z',
      'variant=wide',
      'status=lost',
      'state=lost',
      'size=many',
      'sort=a&sort=b',
    ])
      expect((await browser.open(`${path}?${query}`)).status, `${path}?${query}`).toBe(200);
});

test('People are not offered what their plan excludes, and read why', async () => {
  const { server } = await runAccountServer();
  const { url, key, owner } = server;
  const browser = new PlainBrowser(url);
  const form = async (path = '/ui/make') => (await browser.open(path)).text;
  for (const path of ['/ui/', '/ui/make']) {
    expect(await form(path)).toContain('<option value="private" disabled>Private (sign in first)</option>');
    expect(await form(path)).toMatch(
      /none is shared with everyone[\s\S]*Sign in<[\s\S]*<fieldset[^>]* disabled>/,
    );
  }
  await browser.signIn(key);
  expect(await form()).toContain('<option value="private">Private</option>');
  expect(await form()).toMatch(
    /<a href="\/ui\/account\/games">Link your own<[\s\S]*<fieldset[^>]* disabled>/,
  );
  const { body } = await owner.json('/v2/account/keys', { name: 'reader', scopes: ['read'] });
  await browser.signIn(String(body.key?.secret));
  expect(await form()).toMatch(/may not make skins[\s\S]*<fieldset[^>]* disabled>/);
});

test('Capes are shown to people whose plan includes them', async () => {
  const server = await runServer();
  await addCape(server, 'Red cape');
  const browser = new PlainBrowser(server.url);
  expect((await browser.open('/ui/make')).text).not.toContain('Red cape');
  await browser.signIn(server.key);
  const { text } = await browser.open('/ui/make');
  expect(text).not.toContain('disabled');
  const [, cape = ''] = /<option value="(\w+)">Red cape</.exec(text) ?? [];
  expect((await browser.open('/ui/make?from=player')).text).not.toContain('Red cape');
  const fields = {
    url: 'http://127.0.0.1:1/x.png',
    cape,
    name: 'Kept',
    visibility: 'private',
    variant: 'slim',
  };
  const { status, text: kept } = await browser.open('/ui/make', { form: { maker: 'owner', ...fields } });
  expect(status).toBe(400);
  expect(kept).toContain('role="alert"');
  expect(kept).toContain(`>${fields.url}</textarea>`);
  expect(kept).toContain('value="Kept"');
  expect([...kept.matchAll(/<option value="(\w+)" selected>/g)].map(([, value]) => value)).toEqual([
    'slim',
    'private',
    cape,
  ]);
});

test('A form of a person who has been signed out keeps its content, and makes nothing without its owner', async () => {
  const server = await runServer();
  const browser = new PlainBrowser(server.url);
  await browser.signIn(server.key);
  await browser.open('/ui/make');
  browser.cookie = undefined;
  const form = new FormData();
  const fields = { maker: 'owner', name: 'Mine', visibility: 'private' };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([new Uint8Array(skinPng(1))]), 'skin.png');
  const { status, text } = await browser.open('/ui/make', { form });
  expect(status).toBe(401);
  expect(text).toContain('You are no longer signed in as <bdi>owner</bdi>.');
  expect(text).toContain('name="maker" value="owner"');
  expect(text).toContain('<option value="private" selected>Private</option>');
  const headers = { accept: 'application/json', 'accept-language': 'de' };
  const told = await browser.open('/ui/make', { form, headers });
  const { errors, says } = JSON.parse(told.text);
  expect([told.status, errors[0].message, says]).toEqual([
    401,
    'You have been signed out. Sign in, and your files stay here.',
    'Du wurdest abgemeldet. Melde dich an, deine Dateien bleiben hier.',
  ]);
  await browser.signIn(
    String((await server.owner.json('/v2/account/keys', { user: 'ann' })).body.key?.secret),
  );
  expect((await browser.open('/ui/make', { form })).status).toBe(401);
  const { db } = await openOwnStore(server.dataDir);
  expect(await db.selectFrom('jobs').select('id').execute()).toEqual([]);
});

test('Where every caller needs a key, people sign in first', async () => {
  const { url } = await runServer({ anonymous: false });
  const browser = new PlainBrowser(url);
  expect((await browser.open('/')).text).not.toContain('type="file"');
  for (const path of [
    '/ui/make',
    '/ui/gallery',
    '/ui/skins/00000000000000000000000000000000',
    '/s/00000000',
  ]) {
    const { status, headers } = await browser.open(path);
    expect([status, headers.get('location')]).toEqual([
      303,
      `/ui/sign-in?${new URLSearchParams({ next: path })}`,
    ]);
  }
  // A script is told, instead of led to a page that it cannot read.
  const { status, text } = await browser.open('/ui/make', {
    form: {},
    headers: { accept: 'application/json' },
  });
  expect([status, JSON.parse(text).errors[0].code]).toEqual([401, 'unauthorized']);
});

test('Where every caller needs a key, signed-in people see every picture, and shared caches keep none', async () => {
  const { url, owner, key } = await runServer({ anonymous: false });
  const skin = (await owner.upload('/v2/generate', skinPng(1), { name: 'Anna' })).body.skin?.uuid;
  const other = (await owner.upload('/v2/generate', skinPng(2))).body.skin?.uuid;
  const { body } = await owner.json('/v2/sets', { name: 'Guards', skins: [skin, other] });
  const browser = new PlainBrowser(url);
  await browser.signIn(key);
  for (const path of [
    '/ui/',
    '/ui/gallery',
    '/ui/skins',
    `/ui/skins/${skin}`,
    `/ui/sets/${body.set?.uuid}`,
  ]) {
    const { text } = await browser.open(path);
    const sources = [...text.matchAll(/(?:src|srcset|<link rel="icon"[^>]* href)="([^" ]+)/g)];
    for (const [, address = ''] of sources)
      expect([path, address, (await browser.open(address.replaceAll('&amp;', '&'))).status]).toEqual([
        path,
        address,
        200,
      ]);
    expect(text).not.toContain('data-share');
  }
  for (const path of ['/ui/gallery.atom', '/sitemap.xml', '/sitemaps/1.xml', `/embed/${skin}`])
    expect([path, (await browser.open(path)).headers.get('cache-control')]).toEqual([
      path,
      'private, no-store',
    ]);
  expect((await browser.open('/robots.txt')).text).toContain('Disallow: /\n');
});

test('The operator names the service, and adds a logo, a notice, and links to contact, terms and privacy', async () => {
  const logo = { type: 'image/svg+xml', bytes: Buffer.from('<svg/>') };
  const links = { contact: 'mailto:op@example.org', terms: '/terms', privacy: 'https://example.org/privacy' };
  const site = { name: 'Ann & Bob’s <skins>', logo, notice: 'Moving on <Sunday>', ...links };
  const { url } = await runServer({ site });
  const browser = new PlainBrowser(url);
  for (const path of ['/', '/ui/gallery', '/ui/nowhere']) {
    const { text } = await browser.open(path);
    expect(text).toMatch(/<title>(?:[\w ]+ · )?Ann &amp; Bob’s &lt;skins&gt;<\/title>/);
    expect(text).toContain(
      '<img src="/ui/logo" alt="" height="28"><bdi>Ann &amp; Bob’s &lt;skins&gt;</bdi></a>',
    );
    expect(text).toContain('<p>Moving on &lt;Sunday&gt;</p></aside>');
    const [, footer = ''] = /<footer>([\s\S]*)<\/footer>/.exec(text) ?? [];
    for (const address of Object.values(links)) expect(footer).toContain(`<a href="${address}">`);
  }
  expect((await browser.open('/')).text).toContain('<h1><bdi>Ann &amp; Bob’s &lt;skins&gt;</bdi></h1>');
  const picture = await browser.open('/ui/logo');
  expect([picture.text, picture.headers.get('content-type')]).toEqual(['<svg/>', 'image/svg+xml']);
  expect(picture.headers.get('content-security-policy')).toContain('sandbox');
  expect(await (await fetch(url)).json()).toMatchObject({ meta: { serverName: site.name } });
});

test('Without settings of the operator, the pages name the program, and have no logo and no empty places', async () => {
  const { url } = await runServer();
  const browser = new PlainBrowser(url);
  const { text } = await browser.open('/');
  expect(text).toContain('<title>Signed Minecraft skins · skinsmith</title>');
  expect(text).not.toMatch(/<aside|\/ui\/logo|mailto:|Terms|Privacy/);
  expect((await browser.open('/ui/logo')).status).toBe(404);
});
