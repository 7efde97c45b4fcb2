import { isIP } from 'node:net';
import { type Content, count, counted, type Html, html, type Reader, say } from '../html/html.ts';
import { legalName, textureLocation } from '../pack/names.ts';
import { checkAddress } from '../server/outbound/target.ts';
import type { SignerKind } from '../server/service/skins/skins.ts';
import {
  authlibCode,
  base64Only,
  type CommandSubject,
  citizensCommand,
  citizensUrlCommand,
  customSkin,
  denizenLine,
  fancyNpcsCommand,
  fancyNpcsSection,
  giveCommand,
  giveCommand116,
  giveCommand1205,
  headCommand,
  libsDisguisesCommand,
  mannequinCommand,
  paperCode,
  skinsRestorerCommand,
  taterzensCommand,
  textObjectCommand,
  UnsafeSkinDataError,
  znpcsCommand,
  znpcsProperty,
} from '../textures/commands.ts';
import type { SkinCard } from './frame.ts';

/** A skin to use somewhere. */
export interface UsableSkin extends SkinCard {
  readonly variant: string;
  readonly texture_hash: string;
  readonly url: string;
  readonly value: string;
  readonly signature: string;
}

/** A file to download. */
export interface UseFile {
  readonly label: Html;
  readonly name: string;
  readonly address: string;
  /** The folder of a game server that it belongs to. */
  readonly folder?: string;
  /** The text to copy works without it. */
  readonly isExtra?: true;
}

/** Who sees the skin then: who has signed it decides, unless the game signs it or a pack brings it. */
export type Audience = SignerKind | 'signed-again' | 'has-pack' | 'account';

export const AUDIENCES: Readonly<Record<Audience, Html>> = {
  game: say`Everyone will see it: Mojang signed it.`,
  'signed-again': say`Everyone will see it: the plugin has MineSkin sign the picture again.`,
  'has-pack': say`Everyone who has the resource pack will see it.`,
  account: say`Everyone will see it, on every server.`,
  server: say`Only players whose Minecraft trusts this server will see it.`,
  earlier: say`Only players whose Minecraft trusts an earlier key of this server will see it. Make the skin again to have it signed with the current key.`,
  other: say`Only players whose Minecraft trusts the service that signed it will see it.`,
};

/** One way to use a skin: a file, a text to copy, or both. */
export interface Way {
  readonly file?: UseFile;
  readonly text?: string;
  /** Where to paste the text, and what to replace in it. */
  readonly where: Html;
  /** Where else one may paste it. */
  readonly also?: Html;
  readonly audience: Audience;
}

/** Where skins are used, and with what. The first of each group is what a new visitor sees. */
export const USES = {
  player: [say`Player`, { skinsrestorer: 'SkinsRestorer', libsdisguises: 'LibsDisguises' }],
  npc: [
    say`NPC`,
    {
      citizens: 'Citizens',
      fancynpcs: 'FancyNpcs',
      znpcsplus: 'ZNPCsPlus',
      taterzens: 'Taterzens',
      denizen: 'Denizen',
      mannequin: 'Mannequin (1.21.9+)',
    },
  ],
  head: [
    say`Player head`,
    {
      'head-1.21.9': say`${'1.21.9'} and later`,
      'head-1.21.5': say`${'1.21.5'} to ${'1.21.8'}`,
      'head-1.20.5': say`${'1.20.5'} to ${'1.21.4'}`,
      'head-1.16': say`${'1.16'} to ${'1.20.4'}`,
      pack: say`Resource pack (1.21.9+)`,
      chat: say`Face in chat (1.21.9+)`,
    },
  ],
  account: [say`My account`, { account: say`Minecraft account` }],
  code: [say`Code`, { paper: 'Paper', authlib: say`Mods (authlib)`, json: say`Profile property (JSON)` }],
} as const satisfies Record<string, readonly [Html, Readonly<Record<string, Content>>]>;

export type GroupId = keyof typeof USES;
type UsesIn<G extends GroupId> = keyof (typeof USES)[G][1] & string;
export type UseId = { [G in GroupId]: UsesIn<G> }[GroupId];

export const USE_IDS = Object.values(USES).flatMap(([, uses]) => Object.keys(uses)) as UseId[];

/** The namespace of packs that pages make. */
export const PACK_NAMESPACE = 'skinsmith';
/** Most characters of a message in the game, with the slash of a command. */
const CHAT_LENGTH = 256;

/** What the ways to use one skin are made from. */
interface Known {
  readonly skin: UsableSkin;
  /** The part of it that commands contain. */
  readonly data: CommandSubject & { readonly url: string };
  readonly signer: SignerKind;
  /** The name that commands, files and packs use. */
  readonly name: string;
  readonly variant: 'classic' | 'slim';
  /** The picture for plugins that have MineSkin fetch it; undefined: it cannot, or must not. */
  readonly picture: { readonly url: string; readonly variant: string } | undefined;
}

/**
 * How to use a skin with one plugin or version, the best way first. Nothing for data that cannot be quoted safely.
 */
export function waysOf(id: UseId, skin: UsableSkin, signer: SignerKind): readonly Way[] {
  const url = URL.parse(skin.url);
  if (!url) return [];
  const variant = skin.variant === 'slim' ? 'slim' : 'classic';
  const picture = skin.visibility !== 'private' && isReachable(url) ? { url: url.href, variant } : undefined;
  const name = legalName(skin.name ?? `skin-${skin.uuid.slice(0, 8)}`);
  try {
    const data = { ...base64Only(skin), url: url.href, ...(skin.name !== null && { name: skin.name }) };
    return WAYS[id]({ skin, data, signer, name, variant, picture }).flatMap((way) => way ?? []);
  } catch (error) {
    if (error instanceof UnsafeSkinDataError) return [];
    throw error;
  }
}

type Found = readonly (Way | undefined)[];

const WAYS: Readonly<Record<UseId, (known: Known) => Found>> = {
  skinsrestorer: (known) => [
    inChat(known, skinsRestorerCommand, say`You wear the skin at once.`),
    {
      file: customSkinFile(known),
      text: `/skin set ${known.name}`,
      where: say`Paste this into chat.`,
      also: say`In the server console: <code>skin set ${known.name} PLAYER</code>`,
      audience: known.signer,
    },
  ],
  libsdisguises: ({ data, name, signer }) => [
    byData(libsDisguisesCommand('PLAYER', name.replaceAll(/\W/g, '_').slice(0, 16), data), signer, {
      where: IN_CONSOLE,
      replace: say`Replace <code>PLAYER</code> with the name of a player.`,
    }),
  ],
  citizens: (known) => [
    inChat(known, citizensUrlCommand, say`Select the NPC first, with <code>/npc select</code>.`),
    byData(citizensCommand(known.data), known.signer, {
      where: IN_CONSOLE,
      replace: say`Select the NPC first, with <code>npc select ID</code>.`,
    }),
  ],
  fancynpcs: (known) => [
    inChat(
      known,
      (picture) => fancyNpcsCommand('NPC', picture),
      say`Replace <code>NPC</code> with the name of the NPC.`,
    ),
    {
      text: fancyNpcsSection(quoted(known.data)),
      where: say`Stop the server, and paste this into <code>plugins/FancyNpcs/npcs.yml</code> as the skin of the NPC.`,
      audience: known.signer,
    },
  ],
  znpcsplus: (known) => [
    inChat(
      known,
      (picture) => znpcsCommand('NPC', picture),
      say`Replace <code>NPC</code> with the ID of the NPC.`,
    ),
    {
      text: znpcsProperty(known.data),
      where: say`Stop the server, and paste this into the file of the NPC in <code>plugins/ZNPCsPlus/data</code>.`,
      audience: known.signer,
    },
  ],
  taterzens: ({ data, signer }) => [
    byData(taterzensCommand(data), signer, {
      where: say`Paste it into a command block beside the NPC.`,
      replace: say`Walk away from the NPC and come back to see its new skin.`,
    }),
  ],
  denizen: ({ data, signer }) => [
    { text: denizenLine(data), where: say`Paste it into a Denizen script of the NPC.`, audience: signer },
  ],
  mannequin: (known) => [forProfile(known, mannequinCommand), inPack(known, mannequinCommand)],
  'head-1.21.9': (known) => [forProfile(known, headCommand)],
  'head-1.21.5': (known) => [inBlock(known, giveCommand)],
  'head-1.20.5': (known) => [inBlock(known, giveCommand1205)],
  'head-1.16': (known) => [inBlock(known, giveCommand116)],
  pack: (known) => [inPack(known, headCommand)],
  chat: (known) => [forProfile(known, textObjectCommand)],
  account: ({ skin, variant }) => [
    {
      file: {
        label: say`Download the PNG`,
        name: `${skin.uuid}.png`,
        address: `/textures/${skin.texture_hash}`,
      },
      where:
        variant === 'slim'
          ? say`Open the Minecraft Launcher, then Skins, New skin: choose the file and slim arms.`
          : say`Open the Minecraft Launcher, then Skins, New skin: choose the file and wide arms.`,
      audience: 'account',
    },
  ],
  paper: ({ data, signer }) => [
    { text: paperCode(data), where: say`Paste it into your plugin.`, audience: signer },
  ],
  authlib: ({ data, signer }) => [
    { text: authlibCode(data), where: say`Paste it into your mod or plugin.`, audience: signer },
  ],
  json: ({ skin: { uuid }, data: { value, signature }, signer }) => [
    {
      file: {
        label: say`Download as a file`,
        name: 'textures.json',
        address: `/ui/skins/${uuid}/files/textures.json`,
        isExtra: true,
      },
      text: JSON.stringify({ name: 'textures', value, signature }),
      where: say`This is the property of a game profile, as servers and plugins store it.`,
      audience: signer,
    },
  ],
};

/** Has the plugin fetch the picture, if MineSkin's service can, and the command fits into the chat. */
function inChat(
  { picture }: Known,
  command: (picture: NonNullable<Known['picture']>) => string,
  also: Html,
): Way | undefined {
  const text = picture && command(picture);
  if (text === undefined || text.length > CHAT_LENGTH) return undefined;
  return { text, where: html`${say`Paste it into chat.`} ${also}`, audience: 'signed-again' };
}

/** A command with signed data. */
function byData(text: string, audience: Audience, place: { where: Html; replace?: Html }): Way {
  return { text, where: pasteInto(place.where, text, place.replace), audience };
}

function inBlock({ data, signer }: Known, command: typeof giveCommand): Way {
  return byData(command(data), signer, { where: IN_BLOCK });
}

/** A command without a signature, which names the address of the texture. */
function forProfile({ data, signer, variant }: Known, command: typeof headCommand): Way {
  const text = `/${command({ name: data.name, variant, look: { url: data.url } })}`;
  const isShort = text.length <= CHAT_LENGTH;
  return {
    text: isShort ? text : text.slice(1),
    where: isShort ? say`Paste it into chat (you must be op).` : pasteInto(IN_BLOCK, text),
    audience: signer,
  };
}

/** A command for those who have the resource pack, which needs nobody's signature. */
function inPack({ skin, data, variant }: Known, command: typeof headCommand): Way {
  const own = skin.visibility === 'private' ? '/ui' : '/v2';
  const look = { texture: textureLocation(PACK_NAMESPACE, 'texture', legalName(skin.name ?? skin.uuid)) };
  return {
    file: {
      label: say`Download the resource pack`,
      name: 'pack.zip',
      address: `${own}/skins/pack.zip?ids=${skin.uuid}`,
    },
    text: `/${command({ name: data.name, variant, look })}`,
    where: say`Once players have the pack, paste this into chat (you must be op).`,
    audience: 'has-pack',
  };
}

const IN_CONSOLE = say`Paste it into the server console.`;
const IN_BLOCK = say`Paste it into a command block.`;

function pasteInto(where: Html, text: string, also?: Html): Html {
  const length = count(text.length);
  const why = counted(text.length, {
    one: say`With ${length} character, it is too long for chat.`,
    other: say`With ${length} characters, it is too long for chat.`,
  });
  return html`${where} ${also && html`${also} `}${why}`;
}

/** The file for the folder of SkinsRestorer. */
function customSkinFile({ skin: { uuid }, name }: Pick<Known, 'skin' | 'name'>): UseFile {
  return {
    label: say`Download the file`,
    name: `${name}.customskin`,
    address: `/ui/skins/${uuid}/files/${name}.customskin`,
    folder: 'plugins/SkinsRestorer/skins',
  };
}

/** The best way for what a visitor uses skins for, for the result of Make. */
interface BestWay {
  /** Of the button that copies `text`. */
  readonly label: string;
  readonly text?: string;
  readonly file?: Pick<UseFile, 'name' | 'address'>;
  /** What to do with it, and who will see the skin. */
  readonly notes: readonly string[];
}

/** For scripts, so in the reader's language. Nothing for data that cannot be quoted safely. */
export function bestWayOf(
  use: UseId,
  skin: UsableSkin,
  { signer, reader }: { readonly signer: SignerKind; readonly reader: Reader },
): BestWay | undefined {
  const [best] = waysOf(use, skin, signer);
  if (!best) return undefined;
  const { text, file, where, audience } = best;
  const notes = [where, AUDIENCES[audience]];
  const { name = '', address = '', folder, isExtra } = file ?? {};
  if (folder !== undefined) notes.unshift(say`Put the file into ${folder}.`);
  const needed = file && !isExtra && { file: { name, address } };
  return {
    label: say`for ${nameOfUse(use)}`.writeText(reader),
    ...(text !== undefined && { text }),
    ...needed,
    notes: notes.map((note) => note.writeText(reader)),
  };
}

function nameOfUse(use: UseId): Content {
  const names = Object.values(USES).map(([, uses]): Readonly<Record<string, Content>> => uses);
  return names.find((uses) => use in uses)?.[use];
}

/** The content of a skin's file by its name; undefined: it has no such file. */
export function fileOf(fileName: string, { value, signature }: UsableSkin): object | undefined {
  if (fileName === 'textures.json') return { name: 'textures', value, signature };
  const [, name] = /^(.+)\.customskin$/.exec(fileName) ?? [];
  return name === undefined || legalName(name) !== name ? undefined : customSkin({ name, value, signature });
}

function quoted({ url, value, signature }: Known['data']) {
  return { url: JSON.stringify(url), value: JSON.stringify(value), signature: JSON.stringify(signature) };
}

/** Whether an address looks reachable from the internet, and not only from this machine or network. */
export function isReachable({ hostname }: URL): boolean {
  const bare = hostname.replaceAll(/[[\]]/g, '');
  if (isIP(bare) !== 0) return checkAddress(bare, []).allowed;
  return hostname.includes('.') && !/\.(?:local|localhost|internal|lan|home|test)$/.test(hostname);
}
