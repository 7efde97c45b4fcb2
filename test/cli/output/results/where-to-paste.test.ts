import { expect, test } from 'vitest';
import type { FormatName } from '../../../../src/cli/output/format-names.ts';
import { type FormatLike, packFormat, type SkinToFormat } from '../../../../src/cli/output/formats.ts';
import { sayWhereToPaste } from '../../../../src/cli/output/results.ts';

const texture = { textures: { SKIN: { url: `http://textures.minecraft.net/texture/${'a'.repeat(64)}` } } };
const short: SkinToFormat = {
  value: Buffer.from(JSON.stringify(texture)).toString('base64'),
  signature: 'c2lnbmF0dXJl',
};
const long: SkinToFormat = { ...short, signature: 'c2ln'.repeat(200) };

function said(formats: readonly FormatLike[] | undefined, skin = short, flags = {}): string[] {
  const lines: string[] = [];
  const messages = { say: (line: string) => lines.push(line) };
  sayWhereToPaste(formats, { skin }, { flags, messages } as unknown as Parameters<typeof sayWhereToPaste>[2]);
  return lines;
}

test.each<[FormatName, RegExp]>([
  ['citizens', /^Paste it into the server console, without a slash, after npc select ID\.$/],
  ['skinsrestorer', /plugins\/SkinsRestorer\/skins.*\/skin set NAME/],
  ['fancynpcs', /^Stop the server/],
  ['znpcs', /^Stop the server/],
  ['denizen', /Denizen script/],
])('A line says where to paste one skin as %s', (format, line) => {
  expect(said([format])).toEqual([expect.stringMatching(line)]);
});

test('A command over 255 characters, with its slash, is too long for chat', () => {
  expect(said(['give'], long)).toEqual([
    expect.stringMatching(/command block.* [\d,]+ characters are too long/),
  ]);
  expect(said([packFormat('give-texture')])).toEqual([
    'Paste it into chat, with a slash in front; you must be op.',
  ]);
});

test.each<[string, Parameters<typeof said>]>([
  ['in a format for programs', [['value']]],
  ['in two formats', [['give', 'citizens']]],
  ['without a format', [undefined]],
  ['as JSON', [['give'], short, { json: true }]],
])('No line says where to paste results %s', (_, given) => {
  expect(said(...given)).toEqual([]);
});
