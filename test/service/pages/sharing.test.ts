import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import {
  guardAgainstLeaks,
  openOwnStore,
  runServer,
  type ServerUnderTest,
} from '../../support/server/running-server.ts';

guardAgainstLeaks();

interface Bot {
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of a page that it reads. */
  readonly reads: number;
  /** The properties that it shows. */
  readonly shows: readonly string[];
  /** The largest picture that it shows, in bytes. */
  readonly largest: number;
}

const MIB = 1024 * 1024;
const OPEN_GRAPH = ['og:title', 'og:description', 'og:image', 'og:site_name'];

/** How those who make the bots say that they read pages. */
const BOTS: Readonly<Record<string, Bot>> = {
  // Shows a large picture only for this kind of card.
  Discord: {
    headers: { 'user-agent': 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)' },
    reads: MIB,
    shows: [...OPEN_GRAPH, 'og:url', 'twitter:card'],
    largest: 8 * MIB,
  },
  // https://api.slack.com/robots: fetches as little of the page as it can.
  Slack: {
    headers: {
      'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      accept: '*/*',
      range: 'bytes=0-32768',
    },
    reads: 32 * 1024,
    shows: OPEN_GRAPH,
    largest: 2 * MIB,
  },
  // Cards: a picture of 300×157 to 4096×4096 pixels, at most 5 MB.
  X: {
    headers: { 'user-agent': 'Twitterbot/1.0', accept: '*/*' },
    reads: MIB,
    shows: ['twitter:card', 'twitter:title', 'twitter:description', 'twitter:image', 'twitter:image:alt'],
    largest: 5 * MIB,
  },
  // https://developers.facebook.com/docs/sharing/webmasters/crawler: a range, compression; WhatsApp: small pictures.
  Facebook: {
    headers: {
      'user-agent': 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
      accept: '*/*',
      'accept-encoding': 'deflate, gzip',
      range: 'bytes=0-524288',
    },
    reads: 512 * 1024,
    shows: [...OPEN_GRAPH, 'og:url', 'og:image:width', 'og:image:height'],
    largest: 8 * MIB,
  },
  WhatsApp: {
    headers: { 'user-agent': 'WhatsApp/2.24.20.89 A', accept: '*/*' },
    reads: 300 * 1024,
    shows: ['og:title', 'og:description', 'og:url', 'og:image'],
    largest: 600_000,
  },
  Telegram: {
    headers: { 'user-agent': 'TelegramBot (like TwitterBot)' },
    reads: MIB,
    shows: OPEN_GRAPH,
    largest: 5 * MIB,
  },
};

interface Head {
  readonly status: number;
  readonly type: string | null;
  readonly robots: string | null;
  readonly meta: ReadonlyMap<string, string>;
  readonly links: ReadonlyMap<string, string>;
}

const unescaped = (text: string) =>
  text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** The head of a page, as a bot reads it that looks no further. */
async function headOf(address: string, { headers, reads }: Bot = BOTS['Telegram']!): Promise<Head> {
  const answer = await fetch(address, { headers, redirect: 'manual' });
  const text =
    Buffer.from(await answer.bytes())
      .subarray(0, reads)
      .toString('utf8')
      .split('</head>', 1)[0] ?? '';
  const meta = text.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)">/g);
  const links = text.matchAll(/<link rel="([^"]+)"(?: type="[^"]*")? href="([^"]*)"/g);
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    robots: answer.headers.get('x-robots-tag'),
    meta: new Map([...meta].map(([, name = '', value = '']) => [name, unescaped(value)])),
    links: new Map([...links].map(([, name = '', value = '']) => [name, unescaped(value)])),
  };
}

async function makeSkin(server: ServerUnderTest, fields: Record<string, string> = {}): Promise<string> {
  const { body } = await server.owner.upload('/v2/generate', skinPng(1), { name: 'Knight', ...fields });
  return String(body.skin?.uuid);
}

test('Discord, Slack, X, Facebook, WhatsApp and Telegram show the card of a skin, and the start page at the address of the server', async () => {
  const server = await runServer();
  const uuid = await makeSkin(server);
  const decoded = new Map<string, { readonly width: number; readonly height: number }>(); // all bots get the same ones
  for (const [name, bot] of Object.entries(BOTS))
    for (const [path, title] of [
      [`/ui/skins/${uuid}`, 'Knight'],
      ['/', 'Signed Minecraft skins'],
    ] as const) {
      const { status, type, meta, links } = await headOf(`${server.url}${path}`, bot);
      expect([name, status, type]).toEqual([name, 200, 'text/html; charset=utf-8']);
      for (const property of bot.shows)
        expect([property, meta.get(property)]).toEqual([property, expect.any(String)]);
      expect([meta.get('og:title'), meta.get('twitter:title')]).toEqual([title, title]);
      expect(meta.get('twitter:card')).toBe('summary_large_image');
      expect([meta.get('og:url'), links.get('canonical')]).toEqual([
        `${server.url}${path}`,
        `${server.url}${path}`,
      ]);
      expect(meta.get('twitter:image')).toBe(meta.get('og:image'));
      const picture = await fetch(meta.get('og:image') ?? '', { headers: bot.headers });
      const bytes = Buffer.from(await picture.bytes());
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, meta.get('og:image:type')]);
      expect(bytes.length).toBeLessThan(bot.largest);
      const known = bytes.toString('latin1');
      const { width, height } = decoded.get(known) ?? PNG.sync.read(bytes);
      decoded.set(known, { width, height });
      expect([String(width), String(height)]).toEqual([
        meta.get('og:image:width'),
        meta.get('og:image:height'),
      ]);
    }
  await server.close();
  const { db } = await openOwnStore(server.dataDir);
  expect(await db.selectFrom('skin_views').selectAll().execute()).toEqual([]); // they are not people
});

describe('the page of a skin', () => {
  test('says what the skin is, leads to oEmbed, and has its head as icon', async () => {
    const server = await runServer();
    const uuid = await makeSkin(server, { variant: 'slim', cape: await addCape(server, 'team') });
    const { meta, links, robots } = await headOf(`${server.url}/ui/skins/${uuid}`);
    expect(meta.get('og:description')).toBe(
      'Minecraft skin with slim arms and a cape, signed with this server’s own key.',
    );
    expect([robots, meta.get('robots')]).toEqual([null, undefined]);
    expect(links.get('icon')).toBe(`/v2/skins/${uuid}/face.png?size=64`);
    const embed = (await (await fetch(links.get('alternate') ?? '')).json()) as {
      type: string;
      title: string;
    };
    expect(embed).toMatchObject({ type: 'rich', title: 'Knight' });
  });

  test('hides an unlisted skin from search engines, and a private one from everyone', async () => {
    const server = await runServer();
    const unlisted = await headOf(
      `${server.url}/ui/skins/${await makeSkin(server, { visibility: 'unlisted' })}`,
    );
    expect([unlisted.robots, unlisted.meta.get('robots'), unlisted.meta.get('og:title')]).toEqual([
      'noindex',
      'noindex',
      'Knight',
    ]);
    const owned = await makeSkin(server, { visibility: 'private' });
    for (const bot of Object.values(BOTS)) {
      const { status, meta } = await headOf(`${server.url}/ui/skins/${owned}`, bot);
      expect([status, meta.get('og:title'), meta.get('og:image')]).toEqual([404, undefined, undefined]);
    }
    const browser = new PlainBrowser(server.url);
    await browser.signIn(server.key);
    const { status, text } = await browser.open(`/ui/skins/${owned}`);
    expect([status, text.includes('og:'), text.includes('data-share'), text.includes('/embed/')]).toEqual([
      200,
      false,
      false,
      false,
    ]);
    expect(text).toContain('<meta name="robots" content="noindex">');
    for (const path of [
      `/embed/${owned}`,
      `/v2/oembed?url=${encodeURIComponent(`${server.url}/ui/skins/${owned}`)}`,
    ])
      expect((await browser.open(path)).status).toBe(404);
    expect((await browser.open('/sitemaps/1.xml')).text).not.toContain(owned);
    expect((await browser.open('/ui/gallery.atom')).text).not.toContain(owned);
  });

  test('offers to share it, without scripts too', async () => {
    const server = await runServer();
    const uuid = await makeSkin(server);
    const { text } = await new PlainBrowser(server.url).open(`/ui/skins/${uuid}`);
    expect(text).toContain(`data-share="${server.url}/ui/skins/${uuid}"`);
    expect(text).toContain(`&lt;iframe src=&quot;${server.url}/embed/${uuid}&quot;`);
    const pictures = [...text.matchAll(/href="\/v2\/skins\/\w+\/(\w+)\.png\?size=512"/g)].map(
      ([, view]) => view,
    );
    expect(pictures).toEqual(['front', 'back', 'bust', 'head', 'face']);
  });
});

test('Other sites may show a skin in a frame, without scripts, cookies or a session', async () => {
  const server = await runServer();
  const uuid = await makeSkin(server);
  const browser = new PlainBrowser(server.url);
  await browser.signIn(server.key);
  const { status, headers, text } = await browser.open(`/embed/${uuid}`);
  expect([status, headers.get('x-frame-options'), headers.get('set-cookie')]).toEqual([200, null, null]);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).not.toContain('frame-ancestors'); // not even `*` admits files and apps
  expect(policy).toMatch(/^default-src 'none'/);
  expect(policy).not.toContain('script-src');
  expect(text).not.toMatch(/<script|<form|sign-out/);
  expect(text).toContain(`<img src="/v2/skins/${uuid}/body.png?size=400"`);
  expect(text).toContain('>Knight<');
  const other = await new PlainBrowser(server.url).open(`/embed/${uuid}`);
  expect(other.text).toBe(text);
});

describe('what robots and browsers look for', () => {
  test('robots may fetch pages of skins and their cards; the site map lists what is public', async () => {
    const server = await runServer();
    const uuid = await makeSkin(server);
    const unlisted = await makeSkin(server, { name: 'Hidden', visibility: 'unlisted' });
    const browser = new PlainBrowser(server.url);
    const robots = await browser.open('/robots.txt');
    expect(robots.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const refused = [...robots.text.matchAll(/^Disallow: (.+)$/gm)].map(([, path]) => path!);
    for (const path of [`/ui/skins/${uuid}`, `/v2/skins/${uuid}/card.png`, '/', '/ui/gallery', '/card.png'])
      expect([path, refused.some((one) => path.startsWith(one))]).toEqual([path, false]);
    const [, map = ''] = /^Sitemap: (.+)$/m.exec(robots.text) ?? [];
    const maps = [...(await (await fetch(map)).text()).matchAll(/<loc>([^<]+)<\/loc>/g)].map(
      ([, one]) => one!,
    );
    expect(maps).toEqual([`${server.url}/sitemaps/1.xml`]);
    const listed = await (await fetch(maps[0]!)).text();
    expect(
      [...listed.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, one]) => one!.slice(server.url.length)),
    ).toEqual(['/', '/ui/gallery', '/ui/api', `/ui/skins/${uuid}`]);
    expect(listed).not.toContain(unlisted);
    for (const path of ['/sitemaps/0.xml', '/sitemaps/21.xml', '/sitemaps/1.txt'])
      expect((await browser.open(path)).status).toBe(404);
  });

  test('only pages with public content are for search engines', async () => {
    const server = await runServer();
    const uuid = await makeSkin(server);
    const browser = new PlainBrowser(server.url);
    const robotsOf = async (path: string) => (await browser.open(path)).headers.get('x-robots-tag');
    for (const path of ['/', '/ui/gallery', '/ui/api', `/ui/skins/${uuid}`])
      expect([path, await robotsOf(path)]).toEqual([path, null]);
    const job = (await server.owner.upload('/v2/queue', skinPng(2))).body.job?.id;
    for (const path of ['/ui/sign-in', `/ui/jobs/${job}`, '/ui/gallery?filter=a', `/embed/${uuid}`])
      expect([path, await robotsOf(path)]).toEqual([path, 'noindex']);
  });

  test('a server that requires keys gives robots and link bots nothing', async () => {
    const server = await runServer({ anonymous: false });
    const uuid = await makeSkin(server);
    const browser = new PlainBrowser(server.url);
    expect((await browser.open('/robots.txt')).text).toBe('User-agent: *\nDisallow: /\n');
    for (const path of ['/sitemap.xml', '/ui/gallery.atom', `/embed/${uuid}`])
      expect([path, (await browser.open(path)).status]).toEqual([path, 303]);
    expect((await fetch(`${server.url}/v2/skins/${uuid}/card.png`)).status).toBe(401);
  });

  test('the feed has the newest public skins', async () => {
    const server = await runServer();
    const uuid = await makeSkin(server, { name: 'Knight of the North' });
    const { headers, text } = await new PlainBrowser(server.url).open('/ui/gallery.atom');
    expect(headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    expect(text).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<feed xmlns="http:\/\/www.w3.org\/2005\/Atom" xml:lang="en">/,
    );
    expect(text).toContain('<title>Knight of the North</title>');
    expect(text).toContain(`<link rel="alternate" type="text/html" href="${server.url}/ui/skins/${uuid}"/>`);
    expect(text).toMatch(/<id>urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}<\/id>/);
    expect(text).toContain(`&lt;img src=&quot;${server.url}/v2/skins/${uuid}/isometric.png`);
    for (const path of ['/', '/ui/gallery'])
      expect((await new PlainBrowser(server.url).open(path)).text).toContain('href="/ui/gallery.atom"');
  });

  test('icons, a manifest, and how to reach the operator', async () => {
    const site = { name: 'Guild Скины', contact: 'mailto:ops@example.org' };
    const server = await runServer({ site });
    const browser = new PlainBrowser(server.url);
    const png = async (path: string) =>
      PNG.sync.read(Buffer.from(await (await fetch(`${server.url}${path}`)).bytes()));
    expect((await png('/apple-touch-icon.png')).width).toBe(180);
    const icon = await fetch(`${server.url}/favicon.ico`);
    expect([icon.headers.get('content-type'), Buffer.from(await icon.bytes()).toString('hex', 0, 6)]).toEqual(
      ['image/x-icon', '000001000100'],
    );
    const { headers, text } = await browser.open('/manifest.webmanifest');
    expect(headers.get('content-type')).toBe('application/manifest+json; charset=utf-8');
    const manifest = JSON.parse(text) as { name: string; icons: { src: string; sizes: string }[] };
    expect(manifest.name).toBe('Guild Скины');
    for (const { src, sizes } of manifest.icons)
      expect(`${(await png(src)).width}x${(await png(src)).height}`).toBe(sizes);
    const security = await browser.open('/.well-known/security.txt');
    expect(security.text).toMatch(
      /^Contact: mailto:ops@example.org\nExpires: \d{4}-\d\d-\d\dT[\d:.]+Z\nCanonical: http/,
    );
    const nameless = await runServer();
    expect((await new PlainBrowser(nameless.url).open('/.well-known/security.txt')).status).toBe(404);
    expect((await headOf(server.url)).meta.get('og:site_name')).toBe('Guild Скины');
  });

  test('people who write programs get a page of the API, which leads to its description', async () => {
    const server = await runServer();
    const { text } = await new PlainBrowser(server.url).open('/ui/api');
    expect(text).toContain('href="/openapi.json"');
    expect(text).toContain('Programs for version\u00a01 keep working.');
    expect(text).not.toContain('curl');
    expect(text).not.toContain('<table');
    const { text: start } = await new PlainBrowser(server.url).open('/');
    expect([start.includes('/openapi.json'), start.includes('href="/ui/api"')]).toEqual([false, true]);
  });
});
