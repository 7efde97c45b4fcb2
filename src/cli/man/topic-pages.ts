/** Help topics for people. Their tables are also in docs/sources.md and docs/signers.md, see man/make.ts. */
import { FORMAT_MEANINGS, FORMAT_NAMES, FORMAT_PLACES } from '../output/format-names.ts';
import { rows, type Section, type TermRow, text } from './sections.ts';

export const SOURCE_EXAMPLES: readonly TermRow[] = [
  ['smith.png, skins/*.png', 'a PNG file, several, or a pattern'],
  ['skins/, skins/ -r', 'a folder; with -r its subfolders too'],
  [
    'https://example.org/skin.png',
    'the address of a picture, or of a page on imgur, NameMC and others that shows one',
  ],
  ['--player Notch', 'a player of Java Edition, by name or UUID'],
  ['bedrock:Name', 'a player of Bedrock Edition'],
  ['eyJ0aW1l…', 'skin data: a value, or value and signature'],
  ['signed/skins.lock', 'a lockfile, or JSON from skinsmith'],
  [
    'plugins/Citizens/saves.yml',
    'a file or folder of a plugin: SkinsRestorer, Citizens, FancyNpcs, ZNPCsPlus, Denizen',
  ],
  ['heroes.mcpack', 'a Bedrock skin pack'],
  ['8fa9a4d798b94bb2ad3d28013e6e61fb', 'the UUID of a skin at the service'],
  ['-', 'standard input'],
  ['--from team.csv', 'a list of any of these: one a line, CSV with a header, or NDJSON'],
];

export const SOURCES_TOPIC: Section = {
  title: 'Sources',
  blocks: [
    text(
      'A source is something to make a skin from. generate, queue, check, pack, preview, render, download and verify take the same ones:',
    ),
    rows(['example', 'source'], SOURCE_EXAMPLES),
    text(
      'A file takes precedence over a player of the same name; --as file, url or user decides otherwise. --ignore and .skinsmithignore leave files out; --fit repairs pictures that Minecraft would refuse. The columns of lists: skinsmith help output.',
    ),
  ],
};

export const AUDIENCES: readonly TermRow[] = [
  [
    'pack',
    "everyone with your server's pack: heads, mannequins and faces, in Minecraft 1.21.9 or later. No key, no signature",
  ],
  ['generate, MineSkin key', 'everyone, because Mojang signs the skin'],
  ['generate --player NAME', "everyone, because Mojang has already signed the player's skin"],
  ['generate, no key', 'nobody yet: it is signed with your own key. Enough to try things out'],
  ['serve, own key', 'players whose Minecraft trusts your server (authlib-injector)'],
];

export const AUDIENCE_TOPIC: Section = {
  title: 'Who will see a skin',
  blocks: [
    text(
      'On players and NPCs, unmodified Minecraft shows only skins that Mojang signed. Heads and mannequins can also take their skin from a resource pack.',
    ),
    rows(['you use', 'who will see it'], AUDIENCES),
    text(
      'To use MineSkin, get a key at https://mineskin.org, then: skinsmith login --base-url https://api.mineskin.org and skinsmith config set base-url https://api.mineskin.org',
    ),
    text(
      'The field signer of a result says who signed: game (Mojang), embedded (a key of this or another machine), the address of a service, or unproved (unknown signer). skinsmith verify FILE checks it again; --require-signer game fails unless everyone will see the skin.',
    ),
    text(
      "A service shows everyone what a player name wears (skinsmith wear), even if the skin is private. Only the name's user and operators see its history, and skins that operators have hidden or blocked.",
    ),
  ],
};

/** What each format is, and where people paste it. */
export const FORMAT_ROWS: readonly TermRow[] = FORMAT_NAMES.map((name) => [
  name,
  FORMAT_PLACES[name] === undefined
    ? FORMAT_MEANINGS[name]
    : `${FORMAT_MEANINGS[name]}. ${FORMAT_PLACES[name]}`,
]);

export const FORMATS_TOPIC: Section = {
  title: 'Output formats (--format)',
  blocks: [
    text(
      'Several formats are separated by commas. With --out FOLDER, each source gets a file in each format. Chat takes 256 characters.',
    ),
    rows(['format', 'content'], FORMAT_ROWS),
    text(
      'template:FILE is a format of your own: see skinsmith help output, which also has the fields of JSON.',
    ),
  ],
};
