import { request } from 'undici';
import { expect, test } from 'vitest';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { FAST_GAME, runAccountServer } from '../../support/server/account-server.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { readZip } from '../../support/server/read-zip.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** The texts of the page's data that can be copied, by their names. */
function copies(text: string): Map<string, string> {
  const fields = text.matchAll(/<dt>([^<]+)<\/dt><dd class="line"><pre tabindex="0"><code>([^<]*)<\/code>/g);
  return new Map([...fields].map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]));
}

/** What the page answers for one use. */
function answerFor(text: string, use: string): string {
  const [, answer = ''] = text.split(`value="${use}"`);
  return answer.split('class="chip"', 1)[0]!.replaceAll('&quot;', '"');
}

/** The use whose answer is open. */
function openUses(text: string): string[] {
  return [...text.matchAll(/value="([^"]+)" checked/g)].map(([, use = '']) => use);
}

test('The page of a skin has its data, and the commands that the program writes', async () => {
  const { url, owner } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1), { name: 'Smith' });
  const { uuid, texture } = body.skin!;
  const { value, signature } = texture.data;
  const { text } = await new PlainBrowser(url).open(`/ui/skins/${uuid}`);
  const fields = copies(text);
  expect(fields.get('Value')).toBe(value);
  expect(fields.get('Signature')).toBe(signature);
  expect(fields.get('Short address of this page')).toBe(`${url}/s/${uuid.slice(0, 8)}`);
  expect(answerFor(text, 'head-1.21.9')).toContain(
    '<code>/give @p player_head[profile={properties:{textures:["',
  );
  expect(answerFor(text, 'head-1.16')).toContain('<code>give @p minecraft:player_head{SkullOwner:');
  expect(answerFor(text, 'head-1.16')).toMatch(
    /Paste it into a command block\. With [\d,]+ characters, it is too long/,
  );
  expect(answerFor(text, 'mannequin')).toContain('<code>/summon mannequin ~ ~ ~ {profile:');
  expect(answerFor(text, 'citizens')).toContain(` ${value} ${signature}</code>`);
});

test('A skin that was signed at an earlier address of the server is still its own', async () => {
  const earlier = await runServer({ publicUrl: 'https://old.example.org' });
  const { body } = await earlier.owner.upload('/v2/generate', skinPng(1));
  await earlier.close();
  const { url } = await runServer({ dataDir: earlier.dataDir, publicUrl: 'https://new.example.org' });
  const { text } = await new PlainBrowser(url).open(`/ui/skins/${body.skin?.uuid}`);
  expect(text).toContain('<dd>This server, with its own key</dd>');
  expect(text).toContain('Let Minecraft trust this server: three steps');
  expect(text).not.toContain('Only this machine and its own network');
  const { db } = await openOwnStore(earlier.dataDir);
  await db.updateTable('texture_data').set({ signature: 'bm9uZQ==' }).execute(); // of another key
  const seen = await new PlainBrowser(url).open(`/ui/skins/${body.skin?.uuid}`);
  expect(seen.text).toContain('<dd>Another service</dd>');
  expect(answerFor(seen.text, 'head-1.21.9')).toContain(
    'Only players whose Minecraft trusts the service that signed',
  );
  expect(seen.text).not.toContain('authlib-injector');
});

test('The last line of each way to use a skin says who will see it, and the page does not begin with a warning', async () => {
  const { url, owner } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1));
  const { text } = await new PlainBrowser(url).open(`/ui/skins/${body.skin?.uuid}`);
  expect(text).toContain('Only this machine and its own network can open this address.');
  const places = [
    '<h1>',
    '<div class="stage"',
    'Where will you use it?',
    'class="trust"',
    'class="pictures"',
  ];
  const found = places.map((place) => text.indexOf(place));
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  expect(found[0]).toBeGreaterThan(0);
  expect(text).not.toContain('<aside');
  expect(text).toContain(`-javaagent:authlib-injector.jar=${url}</code>`);
  expect(answerFor(text, 'head-1.21.9')).toMatch(
    /Only players whose Minecraft trusts this server will see it\. <a href="#trust">Three steps<\/a><\/p>\s*(?:<\/div>|<details)/,
  );
  expect(answerFor(text, 'pack')).toContain('Everyone who has the resource pack will see it.');

  const { server, fake, link } = await runAccountServer({ game: FAST_GAME });
  await link(fake.addAccount());
  const made = await server.owner.upload('/v2/generate', skinPng(1));
  const seen = await new PlainBrowser(server.url).open(`/ui/skins/${made.body.skin?.uuid}`);
  expect(seen.text).not.toContain('class="trust"');
  expect(answerFor(seen.text, 'head-1.21.9')).toContain('Everyone will see it: Mojang signed it.');
});

test('The page of a skin opens at the use that its address names, or that the visitor chose last', async () => {
  const { url, owner } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1));
  const path = `/ui/skins/${body.skin?.uuid}`;
  const browser = new PlainBrowser(url);
  expect(openUses((await browser.open(path)).text)).toEqual([
    'player',
    'skinsrestorer',
    'citizens',
    'head-1.21.9',
    'paper',
  ]);
  expect(openUses((await browser.open(`${path}?use=taterzens`)).text)).toContain('taterzens');
  browser.visitorCookie = 'skinsmith-use=authlib';
  const remembered = openUses((await browser.open(path)).text);
  expect(remembered).toEqual(['skinsrestorer', 'citizens', 'head-1.21.9', 'code', 'authlib']);
  browser.visitorCookie = 'skinsmith-use=nothing';
  for (const query of ['', '?use=nothing'])
    expect(openUses((await browser.open(`${path}${query}`)).text)).toContain('player');
});

test('The files of a skin can be downloaded, by those who may see it', async () => {
  const { url, owner } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1), {
    name: 'Sir Smith',
    visibility: 'private',
  });
  const { uuid, texture } = body.skin!;
  const folder = `/ui/skins/${uuid}/files`;
  const stranger = new PlainBrowser(url);
  expect((await stranger.open(`${folder}/sir_smith.customskin`)).status).toBe(404);
  await owner.patch(`/v2/skins/${uuid}`, { visibility: 'unlisted' });
  const { status, text, headers } = await stranger.open(`${folder}/sir_smith.customskin`);
  expect([status, headers.get('content-disposition')]).toEqual([
    200,
    'attachment; filename="sir_smith.customskin"',
  ]);
  const { value, signature } = texture.data;
  expect(JSON.parse(text)).toEqual({ skinName: 'sir_smith', value, signature, dataVersion: 1 });
  const property = await stranger.open(`${folder}/textures.json`);
  expect(JSON.parse(property.text)).toEqual({ name: 'textures', value, signature });
  expect((await stranger.open(`${folder}/other.json`)).status).toBe(404);
});

test('The resource pack of a skin has the texture that its command names', async () => {
  const { url, owner } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1));
  const { text } = await new PlainBrowser(url).open(`/ui/skins/${body.skin?.uuid}`);
  const answer = answerFor(text, 'pack');
  const [, name = ''] = /texture:"skinsmith:([^"]+)"/.exec(answer) ?? [];
  const [, address = ''] = /href="([^"]+)"/.exec(answer) ?? [];
  const pack = await fetch(`${url}${address}`);
  const files = readZip(Buffer.from(await pack.arrayBuffer()));
  expect([...files.keys()]).toContain(`assets/skinsmith/textures/${name}.png`);
});

test('A short address leads to a public skin, or to all that share it, and to no other', async () => {
  const { url, owner, dataDir } = await runServer();
  const make = async (number: number, visibility: string) => {
    const { body } = await owner.upload('/v2/generate', skinPng(number), { visibility });
    return String(body.skin?.uuid);
  };
  const [open, also, unlisted, hidden] = [
    await make(1, 'public'),
    await make(2, 'public'),
    await make(3, 'unlisted'),
    await make(4, 'private'),
  ];
  const browser = new PlainBrowser(url);
  const leadsTo = async (path: string) => {
    const { status, headers } = await browser.open(path);
    return status === 303 ? headers.get('location') : status;
  };
  for (const path of ['/s', '/ui/skins']) {
    expect(await leadsTo(`${path}/${open.slice(0, 8)}`)).toBe(`/ui/skins/${open}`);
    for (const uuid of [unlisted, hidden, '0'.repeat(32)])
      expect(await leadsTo(`${path}/${uuid.slice(0, 8)}`)).toBe(404);
  }
  expect(await leadsTo(`/s/${unlisted}`)).toBe(`/ui/skins/${unlisted}`);
  for (const wrong of ['xyz', 'x'.repeat(8), open.slice(0, 9)])
    expect(await leadsTo(`/s/${wrong}`)).toBe(404);
  expect((await browser.open(`/ui/skins/${unlisted}`)).text).toContain(`${url}/ui/skins/${unlisted}</code>`);

  const { db } = await openOwnStore(dataDir);
  const moved = `${open.slice(0, 8)}${also.slice(8)}`;
  await db.updateTable('skins').set({ uuid: moved }).where('uuid', '=', also).execute();
  const { status, text } = await browser.open(`/s/${open.slice(0, 8)}`);
  expect(status).toBe(200);
  for (const uuid of [open, moved]) expect(text).toContain(`href="/ui/skins/${uuid}"`);
});

test('The address of a page at the hosted service leads people to the page here, and programs to the picture', async () => {
  const { url, owner } = await runServer();
  const make = async (number: number, visibility: string) => {
    const { body } = await owner.upload('/v2/generate', skinPng(number), { visibility });
    return String(body.skin?.uuid);
  };
  const [open, hidden] = [await make(1, 'unlisted'), await make(2, 'private')];
  const browser = new PlainBrowser(url);
  const { status, headers } = await browser.open(`/skins/${open}`);
  expect([status, headers.get('location'), headers.get('vary')]).toEqual([
    303,
    `/ui/skins/${open}`,
    'Accept',
  ]);
  expect((await browser.open(`/skins/${hidden}`)).headers.get('location')).toBeNull();
  const asPicture = await fetch(`${url}/skins/${open}`, {
    headers: { accept: 'image/png,*/*' },
    redirect: 'manual',
  });
  expect(asPicture.headers.get('location')).toBeNull();
  await asPicture.body?.cancel();
});

test('A page with similar skins is compressed only if its length reveals nothing hidden', async () => {
  const server = await runServer();
  const stranger = await server.user('stranger');
  const { body } = await stranger.upload('/v2/generate', skinPng(1), { name: 'chosen by a stranger' });
  const browser = new PlainBrowser(server.url);
  await browser.signIn(server.key);
  const encodingOf = async (uuid = '') =>
    (await browser.open(`/ui/skins/${uuid}`)).headers.get('content-encoding');
  expect(await encodingOf(body.skin?.uuid)).toBe('gzip');
  const own = await server.owner.upload('/v2/generate', skinPng(2), { visibility: 'private' });
  expect(await encodingOf(body.skin?.uuid)).toBeNull();
  expect(await encodingOf(own.body.skin?.uuid)).toBeNull();
});

test.each(['a visitor', 'its owner, an operator'])(
  'The page of a skin weighs at most 70 KB over the network with everything but 3D for %s',
  async (who) => {
    const { url, owner, key } = await runServer({ publicUrl: 'https://skins.example.org' });
    const name = 'x'.repeat(48);
    const { body } = await owner.upload('/v2/generate', skinPng(1), { name });
    for (let similar = 2; similar <= 7; similar++)
      await owner.upload('/v2/generate', skinPng(similar), { name });
    const path = `/ui/skins/${body.skin?.uuid}`;
    const browser = new PlainBrowser(url);
    if (who !== 'a visitor') await browser.signIn(key);
    const { cookie = '' } = browser;
    const sizeOf = async (address: string) => {
      const headers = { accept: 'text/html, */*', 'accept-encoding': 'gzip', cookie };
      const answer = await request(`${url}${address}`, { headers });
      await answer.body.dump();
      return Number(answer.headers['content-length']);
    };
    const { text } = await browser.open(path);
    const loaded = text.matchAll(
      /<(?:img src|script[^>]* src|link rel="(?:icon|stylesheet)"[^>]* href)="([^"]+)"/g,
    );
    expect(text.match(/\/body\.png\?/g)).toHaveLength(6);
    const addresses = new Set([path, ...[...loaded].map(([, address = '']) => address)]);
    expect(addresses.size).toBeGreaterThanOrEqual(16);
    const sizes = await Promise.all([...addresses].map(sizeOf));
    expect(text.includes('Your skin')).toBe(who !== 'a visitor');
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(70_000);
  },
);

test('The top of the page of a skin says what a form did', async () => {
  const { url, owner } = await runServer();
  const { body } = await owner.upload('/v2/generate', skinPng(1));
  const browser = new PlainBrowser(url);
  const path = `/ui/skins/${body.skin?.uuid}`;
  for (const [query, message] of [
    ['reported=yes', 'Report sent. Thank you.'],
    ['saved=yes', 'Saved.'],
  ] as const) {
    const { text } = await browser.open(`${path}?${query}`);
    expect(text.indexOf(message)).toBeLessThan(text.indexOf('<h1>'));
    expect(text).toContain(`role="status">${message}`);
  }
});

test('The command of SkinsRestorer is complete, and only where its service can fetch the picture', async () => {
  const answerAt = async (publicUrl: string) => {
    const { url, owner } = await runServer({ publicUrl });
    const { body } = await owner.upload('/v2/generate', skinPng(1), { variant: 'slim', name: 'Smith' });
    const { text } = await new PlainBrowser(url).open(`/ui/skins/${body.skin?.uuid}`);
    return { hash: body.skin?.texture.hash.skin ?? '', answer: answerFor(text, 'skinsrestorer') };
  };
  const { hash, answer } = await answerAt('https://skins.example.org');
  expect(answer).toContain(`<code>/skin url "https://skins.example.org/textures/${hash}" slim</code>`);
  for (const publicUrl of [
    'http://127.0.0.1:8080',
    'http://192.168.1.7',
    'http://[::1]:80',
    'http://nas:8080',
  ]) {
    const local = await answerAt(publicUrl);
    expect(local.answer, publicUrl).not.toContain('/skin url');
    expect(local.answer).toContain('<code>/skin set smith</code>');
  }
});

test('A skin’s page links the skins of the same picture that the visitor may see, and says how they differ', async () => {
  const { url, owner } = await runServer();
  const make = async (fields: Record<string, string>) => {
    const { body } = await owner.upload('/v2/generate', skinPng(1), fields);
    return String(body.skin?.uuid);
  };
  const classic = await make({ variant: 'classic' });
  const browser = new PlainBrowser(url);
  expect((await browser.open(`/ui/skins/${classic}`)).text).not.toContain('Similar skins');
  const hidden = await make({ variant: 'slim', visibility: 'unlisted' });
  expect((await browser.open(`/ui/skins/${classic}`)).text).not.toContain('Similar skins');
  const again = await make({ variant: 'classic', name: 'again' });
  const slim = await make({ variant: 'slim', name: 'public' });
  const { text } = await browser.open(`/ui/skins/${classic}`);
  const card = (uuid: string, name: string, arms: string) =>
    new RegExp(
      `href="/ui/skins/${uuid}">\n<img [^>]+>\n<bdi>${name}</bdi>\n</a><p class="quiet">Same picture, ${arms} arms</p>`,
    );
  expect(text).toMatch(card(again, 'again', 'classic'));
  expect(text).toMatch(card(slim, 'public', 'slim'));
  expect(text).not.toContain(hidden);
});

test('The page says that a skin has a cape, and gives it to the viewer', async () => {
  const server = await runServer();
  const { url, owner } = server;
  const { body } = await owner.upload('/v2/generate', skinPng(1), { cape: await addCape(server, 'test') });
  const { text } = await new PlainBrowser(url).open(`/ui/skins/${body.skin?.uuid}`);
  expect(text).toContain('<dt>Cape</dt>');
  expect(text).toMatch(/data-cape="\/textures\/[0-9a-f]{64}"/);
});
