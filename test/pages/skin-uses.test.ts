import { describe, expect, test } from 'vitest';
import { ENGLISH } from '../../src/html/html.ts';
import { type Audience, bestWayOf, fileOf, USE_IDS, type UseId, waysOf } from '../../src/pages/skin-uses.ts';
import { buildTexturesValue } from '../../src/textures/property.ts';

const HASH = 'bab39766101d42c200a6f48f0048760ad60e7455728f0981a1364c8a4c9d7c1e';
const PUBLIC = `https://skins.example.org/textures/${HASH}`;
const LOCAL = `http://127.0.0.1:8080/textures/${HASH}`;

function skinAt(
  url: string,
  more: { variant?: 'classic' | 'slim'; visibility?: 'private'; name?: null } = {},
) {
  const { variant = 'slim' } = more;
  const profile = { timestamp: 1, profileId: '0'.repeat(32), profileName: 'skinsmith' };
  return {
    uuid: '4e54b07e5f1a4c3d8b2a1f0e9d8c7b6a',
    name: 'Sir Smith',
    visibility: 'public',
    variant,
    texture_hash: HASH,
    url,
    value: buildTexturesValue({ ...profile, skin: { url, variant } }),
    signature: `${'c2lnbmF0dXJl'.repeat(57)}=`,
    ...more,
  } as const;
}

const { value, signature } = skinAt(PUBLIC);

/** What to copy on servers whose addresses the internet can reach, and who sees the skin then. */
const IN_PUBLIC: Readonly<Record<UseId, readonly [text: string | RegExp | undefined, audience: Audience]>> = {
  skinsrestorer: [`/skin url "${PUBLIC}" slim`, 'signed-again'],
  libsdisguises: [/^disguiseplayer PLAYER player sir_smith setSkin \{"id":"[0-9a-f-]{36}",\S+\}$/, 'server'],
  citizens: [`/npc skin --url ${PUBLIC} -s`, 'signed-again'],
  fancynpcs: [`/npc skin NPC ${PUBLIC} --slim`, 'signed-again'],
  znpcsplus: [`/npc skin NPC url slim ${PUBLIC}`, 'signed-again'],
  taterzens: [
    `data merge entity @e[type=taterzens:npc,sort=nearest,limit=1] {TaterzenNPCTag:{skin:{value:"${value}",signature:"${signature}"}}}`,
    'server',
  ],
  denizen: [`- adjust <npc> skin_blob:${value};${signature}\n`, 'server'],
  mannequin: [/^\/summon mannequin ~ ~ ~ \{profile:\{properties:\S+,model:slim\}.*\}$/, 'server'],
  'head-1.21.9': [/^\/give @p player_head\[profile=\{properties:\S+,model:slim\}.*\]$/, 'server'],
  'head-1.21.5': [
    /^give @p minecraft:player_head\[profile=.*custom_name=\{text:"Sir Smith",italic:false\}\]$/,
    'server',
  ],
  'head-1.20.5': [/^give @p minecraft:player_head\[profile=.*custom_name='/, 'server'],
  'head-1.16': [/^give @p minecraft:player_head\{SkullOwner:/, 'server'],
  pack: [
    '/give @p player_head[profile={texture:"skinsmith:entity/player/sir_smith",model:slim},custom_name={text:"Sir Smith",italic:false}]',
    'has-pack',
  ],
  chat: [/^\/tellraw @a \{object:player,player:\{properties:/, 'server'],
  account: [undefined, 'account'],
  paper: [
    /^ProfileProperty skin = new ProfileProperty\("textures",.*player\.getPlayerProfile\(\);\nprofile\.setProperty\(skin\);\nplayer\.setPlayerProfile\(profile\);\n.*skullMeta\.setPlayerProfile\(owner\);$/s,
    'server',
  ],
  authlib: [
    /^Property skin = new Property\("textures",.*getProperties\(\)\.removeAll\("textures"\);\nprofile\.getProperties\(\)\.put\(/s,
    'server',
  ],
  json: [JSON.stringify({ name: 'textures', value, signature }), 'server'],
};

/** What is different where the service of MineSkin cannot fetch the picture, or must not. */
const ALONE: Partial<Record<UseId, string | RegExp>> = {
  skinsrestorer: '/skin set sir_smith',
  citizens: /^npc skin -t [0-9a-f-]{36} \S+ \S+$/,
  fancynpcs: /^skin:\n {2}identifier: "http.*\n {2}variant: AUTO\n {2}value: "\S+"\n {2}signature: "\S+"\n$/,
  znpcsplus: /^properties:\n {2}skin: prefetched;textures;[^;]+;[^;]+;\n$/,
};

describe.each(USE_IDS)('%s', (use) => {
  test('offers one thing first, and says correctly who will see the skin', () => {
    const [text, audience] = IN_PUBLIC[use];
    const [best] = waysOf(use, skinAt(PUBLIC), 'server');
    expect(best?.text).toEqual(text instanceof RegExp ? expect.stringMatching(text) : text);
    expect(best?.audience).toBe(audience);
    const signed = waysOf(use, skinAt(PUBLIC), 'game')[0];
    expect(signed?.audience).toBe(audience === 'server' ? 'game' : audience);
    expect(waysOf(use, skinAt(PUBLIC), 'other')[0]?.audience).toBe(
      audience === 'server' ? 'other' : audience,
    );
  });

  test.each([
    ['from a server that only its own network reaches', skinAt(LOCAL)],
    ['of a private skin', skinAt(PUBLIC, { visibility: 'private' })],
  ])('never sends MineSkin the picture %s', (_, skin) => {
    const ways = waysOf(use, skin, 'server');
    expect(ways.map(({ audience }) => audience)).not.toContain('signed-again');
    const wanted = ALONE[use];
    if (wanted) expect(ways[0]?.text).toMatch(wanted);
    expect(ways.length).toBeGreaterThan(0);
  });

  test('offers nothing for chat that is too long for it', () => {
    for (const url of [
      PUBLIC,
      LOCAL,
      `https://${'a'.repeat(60)}.${'b'.repeat(60)}.example.org/textures/${HASH}`,
    ])
      for (const { text = '', where } of waysOf(use, skinAt(url), 'server')) {
        if (/into (?:the )?chat/.test(String(where))) expect(text).toMatch(/^\/.{1,255}$/s);
        else expect(text).not.toMatch(/^\//);
      }
  });

  test('offers nothing for data that could end a command and begin another', () => {
    const good = skinAt(PUBLIC);
    expect(waysOf(use, { ...good, value: 'a"}]}] run op me' }, 'server')).toEqual([]);
    expect(waysOf(use, { ...good, signature: 'a\nop me' }, 'server')).toEqual([]);
    expect(waysOf(use, { ...good, url: 'no address' }, 'server')).toEqual([]);
    const spaced = waysOf(use, { ...good, url: `${PUBLIC}?a b\nop me` }, 'server');
    for (const { text = '', audience } of spaced)
      if (audience === 'signed-again') expect(text).not.toMatch(/\n|a b/);
  });
});

test('Classic arms are named as each plugin expects', () => {
  const best = (use: UseId) => waysOf(use, skinAt(PUBLIC, { variant: 'classic' }), 'server')[0]?.text;
  expect(best('skinsrestorer')).toBe(`/skin url "${PUBLIC}" classic`);
  expect(best('citizens')).toBe(`/npc skin --url ${PUBLIC}`);
  expect(best('fancynpcs')).toBe(`/npc skin NPC ${PUBLIC}`);
  expect(best('znpcsplus')).toBe(`/npc skin NPC url classic ${PUBLIC}`);
  expect(best('head-1.21.9')).toContain('model:wide');
});

test('SkinsRestorer’s file has the name that its command names', () => {
  for (const skin of [skinAt(LOCAL), skinAt(LOCAL, { name: null })]) {
    const [{ file, text } = { file: undefined, text: undefined }] = waysOf('skinsrestorer', skin, 'server');
    const name = text?.replace('/skin set ', '');
    expect(file).toMatchObject({ name: `${name}.customskin`, folder: 'plugins/SkinsRestorer/skins' });
    expect(fileOf(String(file?.name), skin)).toEqual({
      skinName: name,
      value: skin.value,
      signature: skin.signature,
      dataVersion: 1,
    });
  }
  for (const wrong of ['A.customskin', '../a.customskin', '.customskin', 'a.json', 'con.customskin'])
    expect(fileOf(wrong, skinAt(LOCAL)), wrong).toBeUndefined();
});

test('Make offers the best way for the use that the visitor chose last', () => {
  expect(bestWayOf('citizens', skinAt(PUBLIC), { signer: 'server', reader: ENGLISH })).toEqual({
    label: 'for Citizens',
    text: `/npc skin --url ${PUBLIC} -s`,
    notes: [
      'Paste it into chat. Select the NPC first, with /npc select.',
      'Everyone will see it: the plugin has MineSkin sign the picture again.',
    ],
  });
  expect(bestWayOf('skinsrestorer', skinAt(LOCAL), { signer: 'server', reader: ENGLISH })).toEqual({
    label: 'for SkinsRestorer',
    text: '/skin set sir_smith',
    file: {
      name: 'sir_smith.customskin',
      address: '/ui/skins/4e54b07e5f1a4c3d8b2a1f0e9d8c7b6a/files/sir_smith.customskin',
    },
    notes: [
      'Put the file into plugins/SkinsRestorer/skins.',
      'Paste this into chat.',
      'Only players whose Minecraft trusts this server will see it.',
    ],
  });
  expect(bestWayOf('json', skinAt(LOCAL), { signer: 'game', reader: ENGLISH })?.file).toBeUndefined();
  expect(
    bestWayOf('json', { ...skinAt(LOCAL), value: '"' }, { signer: 'game', reader: ENGLISH }),
  ).toBeUndefined();
});
