import { expect, test } from 'vitest';
import { skinsInFile } from '../../../../src/batch/sources/skin-files.ts';
import { buildTexturesValue } from '../../../../src/textures/property.ts';
import { collected, folderOf } from '../../../support/batch/read-sources.ts';

const SIGNATURE = Buffer.alloc(512, 7).toString('base64');

function valueFor(profileName: string): string {
  const url = `http://textures.minecraft.net/texture/${'ab12'.repeat(16)}`;
  return buildTexturesValue({
    timestamp: 1,
    profileId: '61699b2ed3274a019f1e0ea8c3f06bc6',
    profileName,
    skin: { url, variant: 'slim' },
  });
}

/** After `NpcManagerImpl.java`, `SkinManagerImpl.java` and `SkinCacheFile.java` of FancyMcPlugins/FancyNpcs. */
function npc(name: string, identifier: string, more = ''): string {
  return `  npc-${name}:\n    name: ${name}\n    skin: {identifier: '${identifier}', variant: AUTO${more}}\n`;
}

function cached(identifier: string, player = 'x'): [file: string, text: string] {
  const file = `.data/skins/${Buffer.from(identifier).toString('base64')}.json`;
  const skinData = {
    identifier,
    variant: 'AUTO',
    textureValue: valueFor(player),
    textureSignature: SIGNATURE,
  };
  return [file, JSON.stringify({ skinData, lastUpdated: 1, timeToLive: 2 })];
}

async function namesIn(files: Readonly<Record<string, string>>, file: string): Promise<string[]> {
  const cwd = await folderOf(files);
  const all = await collected(skinsInFile(file, `${cwd}/${file}`));
  return all.map((one) => ('note' in one ? one.note : 'fault' in one ? one.fault : one.skin.name!));
}

const LONG = `https://example.org/${'?'.repeat(4)}>>>/a.png`;
const PLAYER = '3f0c2f5e-8d5e-4a51-9d0b-2f1d8a1f0001';

test('An NPC of FancyNpcs has the skin that the cache has for its address, its file or its player', async () => {
  const files = {
    'npcs.yml': `npcs:\n${npc('shop', LONG)}${npc('smith', 'smith.png')}${npc('guard', 'notch')}${npc('king', PLAYER)}`,
    ...Object.fromEntries([cached(LONG), cached('smith.png'), cached(PLAYER, 'Notch')]),
  };
  expect(Object.keys(files)[1]!.slice('.data/skins/'.length)).toContain('/'); // base64 makes a folder here
  expect(await namesIn(files, 'npcs.yml')).toEqual(['shop', 'smith', 'guard', 'king']);
});

test('NPCs whose skin is not in the cache are named, except NPCs that mirror whoever looks at them', async () => {
  const many = Array.from({ length: 6 }, (_, at) => npc(`n${at}`, `p${at}`)).join('');
  const mirror = npc('mirror', 'notch', ', mirrorSkin: true');
  const damaged = { [cached('p0')[0]]: '{', [cached('p1')[0]]: JSON.stringify({ skinData: {} }) };
  const files = { 'npcs.yml': `npcs:\n${many}${mirror}`, ...damaged };
  expect(await namesIn(files, 'npcs.yml')).toEqual([
    'npcs.yml holds no skin data.',
    'npcs.yml: 6 NPCs have skins whose data is not stored with the plugin: n0 (p0), n1 (p1), n2 (p2), n3 (p3), n4 (p4) and 1 more.',
  ]);
});

test('NPCs of Citizens that have only the name of a skin are named, beside NPCs with skin data in either layout', async () => {
  const saves = `npc:
  '0': {name: A, traits: {skintrait: {skinName: notch}}}
  '1': {name: B, traits: {skintrait: {skinName: notch, textureRaw: ${valueFor('notch')}, signature: ${SIGNATURE}}}}
  '2': {name: C, metadata: {player-skin-textures: ${valueFor('notch')}}, traits: {skintrait: {skinName: notch}}}
`;
  expect(await namesIn({ 'saves.yml': saves }, 'saves.yml')).toEqual([
    'B',
    'C',
    'saves.yml: 1 NPC has a skin whose data is not stored with the plugin: A (notch).',
  ]);
});
