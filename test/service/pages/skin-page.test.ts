import { expect, test } from 'vitest';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** The texts of the page that can be copied, by their names. */
function copies(text: string): Map<string, string> {
  const fields = text.matchAll(/<dt>([^<]+)<\/dt><dd class="line"><pre tabindex="0"><code>([^<]*)<\/code>/g);
  return new Map([...fields].map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]));
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
  expect(fields.get('Head, Minecraft 1.21.5 and later')).toMatch(/^give @p minecraft:player_head\[profile=/);
  expect(fields.get('1.16 to 1.20.4')).toMatch(/^give @p minecraft:player_head\{SkullOwner:/);
  expect(fields.get('Head, in-game command, 1.21.9 and later')).toMatch(
    /^\/give @p player_head\[profile=\{properties:\{textures:\["[^"]+"\]\},model:wide\}/,
  );
  expect(fields.get('Mannequin, in-game command, 1.21.9 and later')).toMatch(
    /^\/summon mannequin ~ ~ ~ \{profile:/,
  );
  expect(fields.get('Face in chat, in-game command, 1.21.9 and later')).toMatch(
    /^\/tellraw @a \{object:player,/,
  );
  expect(fields.get('Citizens, for the selected NPC')).toContain(` ${value} ${signature}`);
  expect(text).toContain('clients and servers that trust this server');
});

test('The line for SkinsRestorer is complete, and only where its service can fetch the picture', async () => {
  const lineOf = async (publicUrl: string) => {
    const { url, owner } = await runServer({ publicUrl });
    const { body } = await owner.upload('/v2/generate', skinPng(1), { variant: 'slim' });
    const { text } = await new PlainBrowser(url).open(`/ui/skins/${body.skin?.uuid}`);
    const hash = body.skin?.texture.hash.skin ?? '';
    return { hash, text, line: copies(text).get('SkinsRestorer, in-game command') };
  };
  const { hash, line } = await lineOf('https://skins.example.org');
  expect(line).toBe(`/skin url "https://skins.example.org/textures/${hash}" slim`);
  for (const publicUrl of [
    'http://127.0.0.1:8080',
    'http://192.168.1.7',
    'http://[::1]:80',
    'http://nas:8080',
  ]) {
    const local = await lineOf(publicUrl);
    expect(local.line, publicUrl).toBeUndefined();
    expect(local.text).toContain('--format skinsrestorer');
  }
});

test('A skin leads to public ones of the same picture, in other variants only', async () => {
  const { url, owner } = await runServer();
  const make = async (fields: Record<string, string>) => {
    const { body } = await owner.upload('/v2/generate', skinPng(1), fields);
    return String(body.skin?.uuid);
  };
  const classic = await make({ variant: 'classic' });
  const browser = new PlainBrowser(url);
  expect((await browser.open(`/ui/skins/${classic}`)).text).not.toContain('Other skins with this picture');
  const hidden = await make({ variant: 'slim', visibility: 'unlisted' });
  await make({ variant: 'classic', name: 'again' });
  expect((await browser.open(`/ui/skins/${classic}`)).text).not.toContain('Other skins with this picture');
  const slim = await make({ variant: 'slim', name: 'public' });
  const { text } = await browser.open(`/ui/skins/${classic}`);
  expect(text).toContain(`<a href="/ui/skins/${slim}">with slim arms</a>`);
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

test('A page tells how programs move on from version 1', async () => {
  const { url } = await runServer();
  const { status, text } = await new PlainBrowser(url).open('/ui/version-1');
  expect(status).toBe(200);
  const rows = text.matchAll(/<tr><td><code>([^<]*)<\/code><\/td><td><code>([^<]*)<\/code>/g);
  const moves = Object.fromEntries([...rows].map(([, before, after]) => [before, after]));
  expect(moves).toMatchObject({
    'POST /generate/upload': 'POST /v2/queue',
    'POST /generate/url': 'POST /v2/queue',
    'POST /generate/user': 'POST /v2/queue',
    'visibility=0': 'visibility=public',
    'model=steve': 'variant=classic',
    'data.texture.value': 'skin.texture.data.value',
    'data.texture.signature': 'skin.texture.data.signature',
  });
  expect(text).toContain('<code>/v2/generate</code>');
});
