import type { Command } from 'commander';
import { isUuid } from '../../base/text.ts';
import type {
  BlockedImage,
  BlockInput,
  LogEntry,
  ModeratedSet,
  ModeratedSkin,
} from '../../protocol/moderation.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { usageError } from '../errors/exit.ts';
import { forService } from '../errors/service-hints.ts';
import { eachOf, listOf, skinsText, verifyUuids, withAccount } from '../nouns.ts';
import {
  type Columns,
  type CommandOutput,
  columnRows,
  doneViews,
  type Fields,
  fieldColumns,
  type Table,
} from '../output/described.ts';
import { ago, jsonDocument } from '../text/text.ts';

/** A picture that was blocked just now, with the number of skins that were hidden. */
type BlockedView = BlockedImage & { readonly skins: number };

const IMAGE_COLUMNS = fieldColumns<BlockedImage>('hash', 'blockedAt', 'blockedBy', 'note');

const IMAGE_FIELDS: Fields<BlockedImage> = {
  hash: 'hash of the texture',
  note: 'why it was blocked',
  blockedBy: 'name of the operator',
  blockedAt: 'when it was blocked',
};

/** SHA-256 in lower-case hexadecimal, or the game's name for a texture, which lacks zeros at the start. */
function isImageHash(text: string): boolean {
  return /^[0-9a-f]{33,64}$/.test(text);
}

interface NoteOption {
  readonly note?: string;
}

interface DecisionOptions extends NoteOption {
  readonly set?: boolean;
}

function whatOf({ set: isSet }: DecisionOptions) {
  return isSet ? 'set' : 'skin';
}

/** Adds the arguments that all decisions about skins and sets have. */
function describeDecision(command: Command): Command {
  const withSet = command
    .argument('<uuid...>', 'UUIDs of skins, or of sets')
    .option('--set', 'the UUIDs are those of sets');
  return addNote(withSet);
}

function addNote(command: Command): Command {
  return command.option('--note <text>', 'reason, for the log');
}

const COLUMNS = {
  ...fieldColumns<ModeratedSkin>('uuid', 'visibility'),
  hidden: ({ hidden }) => (hidden ? 'hidden' : ''),
} satisfies Columns<ModeratedSkin>;
const SET_COLUMNS = { ...COLUMNS, name: ({ name }) => name } satisfies Columns<ModeratedSet>;

const FIELDS: Fields<ModeratedSet> = {
  uuid: 'UUID of the skin or set',
  visibility: 'its present visibility',
  hidden: 'whether an operator has hidden it',
  name: 'name of the set; absent for skins',
};

const MODERATED_OUTPUT: CommandOutput = { columns: COLUMNS, json: { shape: 'list', fields: FIELDS } };

/** Hides skins or sets or shows them again, and prints their new state. */
function hiding(hidden: boolean) {
  return {
    output: [MODERATED_OUTPUT],
    declare: describeDecision,
    async run(
      uuids: string[],
      { set: isSet, note }: DecisionOptions,
      context: CommandContext,
    ): Promise<void> {
      verifyUuids(uuids, context, isSet ? 'set' : 'skin');
      const decision = { note, hidden };
      const decided = await withAccount(context, ({ moderation, sets }, call) =>
        Array.fromAsync(uuids, (uuid) =>
          isSet ? sets.decide(uuid, decision, call) : moderation.setHidden(uuid, decision, call),
        ),
      );
      print(decided, COLUMNS, context);
    },
  };
}

/** For programs, on a terminal too. */
function print<Row>(rows: readonly Row[], columns: Columns<Row>, { flags, io }: CommandContext): void {
  io.out.write(flags.json ? jsonDocument(rows) : columnRows(columns, rows));
}

const IMAGES: Table<BlockedImage> = {
  columns: IMAGE_COLUMNS,
  fields: IMAGE_FIELDS,
  shown: {
    HASH: 'hash',
    BLOCKED: ({ blockedAt }, now) => ago(blockedAt, now),
    BY: 'blockedBy',
    NOTE: 'note',
  },
};

export const moderationBlocked = {
  description: 'List blocked pictures by the hashes of their textures (operators only).',
  examples: {
    'List blocked pictures': 'skinsmith moderation blocked',
    'Print all of them as JSON': 'skinsmith moderation blocked --all --json',
  },
  ...listOf(IMAGES, {
    what: 'blocked pictures',
    usual: 100,
    read: ({ account, call }, page) => account.moderation.blockedImages(page, call),
  }),
} satisfies CommandModule;

const LOG: Table<LogEntry, LogEntry> = {
  columns: fieldColumns('at', 'operator', 'action', 'subject', 'note'),
  fields: {
    id: 'number of the entry',
    at: 'when it was done',
    operator: 'name of the operator',
    action: 'what was done',
    subject: 'UUID of a skin, hash of a texture, number of a report or name of a user',
    note: 'why, or the new plan of a user',
  },
  shown: {
    WHEN: ({ at }, now) => ago(at, now),
    OPERATOR: 'operator',
    ACTION: 'action',
    SUBJECT: 'subject',
    NOTE: 'note',
  },
  cut: 'SUBJECT',
};

export const moderationLog = {
  description: 'List what operators did, newest first (operators only).',
  examples: {
    'List what operators did': 'skinsmith moderation log',
    'List the last ten entries': 'skinsmith moderation log --limit 10',
  },
  ...listOf(LOG, {
    what: 'entries',
    usual: 100,
    read: ({ account, call }, page) => account.moderation.log(page, call),
  }),
} satisfies CommandModule;

export const moderationHide = {
  description:
    'Hide skins or sets of any user (operators only).\n' +
    'A hidden skin or set is private, and its owner cannot change that. Its reports are closed.',
  examples: {
    'Hide a skin': 'skinsmith moderation hide SKIN',
    'Give the reason, for the log': 'skinsmith moderation hide SKIN --note "rude"',
    'Hide a set of skins': 'skinsmith moderation hide SET --set',
  },
  ...hiding(true),
} satisfies CommandModule;

export const moderationUnhide = {
  description: 'Unhide skins or sets, with their former visibility (operators only).',
  examples: {
    'Unhide a skin': 'skinsmith moderation unhide SKIN',
    'Give the reason, for the log': 'skinsmith moderation unhide SKIN --note "a mistake"',
  },
  ...hiding(false),
} satisfies CommandModule;

export const moderationReplaceName = {
  description:
    "Replace the names of any user's sets with neutral ones (operators only).\n" +
    'The owner can rename the set afterwards; to prevent that, hide it.',
  examples: {
    'Replace the name of a set': 'skinsmith moderation replace-name SET',
    'Give the reason, for the log': 'skinsmith moderation replace-name SET --note "rude"',
  },
  output: [{ columns: SET_COLUMNS, json: { shape: 'list', fields: { ...FIELDS, name: 'its new name' } } }],
  declare: (command) => addNote(command.argument('<uuid...>', 'UUIDs of sets')),
  async run(uuids: readonly string[], decision: NoteOption, context: CommandContext): Promise<void> {
    verifyUuids(uuids, context, 'set');
    const named = await withAccount(context, ({ sets }, call) =>
      Array.fromAsync(uuids, (uuid) => sets.decide(uuid, { ...decision, clearName: true }, call)),
    );
    print(named, SET_COLUMNS, context);
  },
} satisfies CommandModule;

export const moderationDelete = {
  description:
    'Permanently delete skins or sets of any user, and close their reports (operators only).\n' +
    'The skins of a deleted set stay.\n' +
    'Asks for confirmation first; without a terminal, --yes is required.',
  examples: {
    "Delete any user's skin without confirmation": 'skinsmith moderation delete SKIN --yes',
    'Give the reason, for the log':
      'skinsmith moderation delete OTHER --yes --note "requested by its artist"',
    'Delete a set; its skins stay': 'skinsmith moderation delete SET --set --yes',
  },
  ...eachOf<string, DecisionOptions>(doneViews('uuid', 'UUID of the skin or set', 'deleted'), {
    declare: describeDecision,
    verify: (uuids, context, typed) => verifyUuids(uuids, context, whatOf(typed)),
    question: (uuids, typed) => `Delete ${skinsText(uuids, whatOf(typed))}? This cannot be undone.`,
    async act(uuid, { account: { moderation, sets }, call }, typed) {
      const decision = { note: typed.note };
      if (typed.set) await sets.deleteAny(uuid, decision, call);
      else await moderation.deleteSkin(uuid, decision, call);
      return [uuid, `Deleted ${whatOf(typed)} ${uuid}.`];
    },
  }),
} satisfies CommandModule;

const BLOCK_COLUMNS = { ...IMAGE_COLUMNS, skins: ({ skins }: BlockedView) => String(skins) };
const BLOCK_FIELDS: Fields<BlockedView> = {
  ...IMAGE_FIELDS,
  skins: 'number of skins that were hidden because they have the picture',
};
export const moderationBlock = {
  description:
    'Block pictures (operators only).\n' +
    'The service refuses a blocked picture in any file and no longer serves it. All skins that use it are hidden.',
  examples: {
    'Block the picture of a skin': 'skinsmith moderation block SKIN',
    'Block a picture by its hash':
      'skinsmith moderation block a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1 --note "stolen"',
  },
  output: [{ columns: BLOCK_COLUMNS, json: { shape: 'list', fields: BLOCK_FIELDS } }],
  declare: (command) =>
    addNote(command.argument('<picture...>', 'hashes of textures, or UUIDs of skins that use them')),
  async run(images: readonly string[], { note }: NoteOption, context: CommandContext): Promise<void> {
    const inputs = images.map((image) => blockInputFor(image, note));
    const blocked = await withAccount(context, ({ moderation }, call) =>
      Array.fromAsync(inputs, async (input) => {
        const { image, hidden } = await moderation.blockImage(input, call);
        return { ...image, skins: hidden };
      }),
    );
    print(blocked, BLOCK_COLUMNS, context);
  },
} satisfies CommandModule;

/** @throws CliError for what is neither a hash nor a UUID */
function blockInputFor(image: string, note: string | undefined): BlockInput {
  if (isImageHash(image)) return { hash: image, note };
  if (isUuid(image)) return { skin: image, note };
  throw usageError('not_an_image', `"${image}" is neither the hash of a texture nor the UUID of a skin.`);
}

export const moderationUnblock = {
  description: 'Accept blocked pictures again; skins that were hidden stay hidden (operators only).',
  examples: {
    'Accept a picture again':
      'skinsmith moderation unblock a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1',
    'Accept all pictures again':
      'skinsmith moderation blocked --all | cut -f1 | xargs -r skinsmith moderation unblock',
  },
  ...eachOf<string, NoteOption>(doneViews('hash', 'hash of the texture', 'unblocked'), {
    declare: (command) => addNote(command.argument('<hash...>', 'hashes, as printed by moderation blocked')),
    verify: verifyHashes,
    async act(hash, { account: { moderation }, call }, decision) {
      await moderation.unblockImage(hash, decision, call);
      return [hash, `Unblocked picture ${hash}.`];
    },
  }),
} satisfies CommandModule;

/** @throws CliError when one of them is not the hash of a texture */
function verifyHashes(hashes: readonly string[], context: CommandContext): void {
  const wrong = hashes.find((hash) => !isImageHash(hash));
  if (wrong === undefined) return;
  const hint = `List the blocked pictures: ${forService('skinsmith moderation blocked', context)}`;
  throw usageError('not_a_hash', `"${wrong}" is not the hash of a texture.`, hint);
}
