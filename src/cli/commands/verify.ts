import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { decodedText } from '../../base/text.ts';
import { Lockfile } from '../../batch/lockfile/lockfile.ts';
import { sourcePath } from '../../batch/names.ts';
import { inspectSource } from '../../batch/pictures.ts';
import { damageOf, type PublicSigningKey, signedBy, UNPROVED } from '../../batch/signers.ts';
import { withoutFileScheme } from '../../batch/sources/files.ts';
import { IgnoreRules } from '../../batch/sources/ignore-rules.ts';
import { type FaultyPart, type FoundSkin, pluginSkins, skinsInFile } from '../../batch/sources/skin-files.ts';
import type { SkinInJson } from '../../batch/sources/skin-json.ts';
import { isSkinText, readSkinText } from '../../batch/sources/skin-text.ts';
import { skinSource } from '../../batch/sources/supplied-skin.ts';
import {
  isBad,
  type KeptSkin,
  type RequiredSigner,
  type SignerKey,
  type SkinVerdict,
  verifySkin,
} from '../../batch/verify-skin.ts';
import { publicKeyIn } from '../../dispatch/service-facts.ts';
import { SignerTally } from '../batch/summary.ts';
import { type Verifiers, verifierClients } from '../connection/verifiers.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { CliError, exitStatus } from '../errors/exit.ts';
import { ALLOW_NETWORK, requireSignerOption } from '../options/skin-options.ts';
import { type Columns, columnRows, type Fields, fieldColumns, JsonList } from '../output/described.ts';
import { startOf } from '../output/output-guard.ts';
import { type Colors, colorsFor, widthOf } from '../terminal/io.ts';
import { readBounded } from '../terminal/read-input.ts';
import { clean, count, hanging } from '../text/text.ts';

/** A skin read from a file, with the metadata that the file has for it. */
interface StoredSkin extends KeptSkin {
  /** The signing service, an address or `embedded`; undefined if the file does not record it. */
  readonly service: string | undefined;
  /** Expected path of the source image; undefined if the source was not a file. */
  readonly path: string | undefined;
}

/** A skin, a part of a file that cannot be read, or a note. */
type Kept = StoredSkin | FaultyPart | Extract<FoundSkin, { note: string }>;

const FIRST_BYTES = 64 * 1024;

/**
 * Reads the skins in a lockfile, a JSON file, or a file or folder of a plugin, or a pasted skin: a value and its signature, JSON with both, or a
 * command.
 * @throws CliError, LockfileError, Error of the file system
 */
async function* keptSkins(text: string): AsyncGenerator<Kept> {
  if (isSkinText(text)) {
    yield pastedSkin(text);
    return;
  }
  const path = withoutFileScheme(text);
  if (statSync(path).isDirectory()) return yield* folderSkins(path);
  verifyRegular(path);
  if (isLockfile(path)) yield* lockedSkins(path);
  else yield* fileSkins(skinsInFile(path, path));
}

/** Opening a pipe would block the process, deaf to Ctrl-C, until something is written to it. */
function verifyRegular(path: string): void {
  if (!statSync(path).isFile()) throw new CliError('not_a_file', `${path} is not a regular file.`);
}

function pastedSkin(text: string): StoredSkin {
  const read = readSkinText(text);
  if ('skin' in read) return keptSkin(read.skin, skinSource(read.skin).label);
  throw new CliError('invalid_skin_data', read.fault);
}

async function* lockedSkins(path: string): AsyncGenerator<StoredSkin> {
  const folder = dirname(resolve(path));
  const lockfile = await Lockfile.open(path);
  try {
    for (let entry = 0; entry < lockfile.size; entry++) {
      const locked = lockfile.read(entry);
      const [claim, damage] = [signedBy(locked, {}), damageOf(locked, {})];
      const hasCape = locked.options.cape !== undefined;
      yield { ...locked, hasCape, claim, damage, path: sourcePath(locked.source, folder) };
    }
  } finally {
    lockfile.close();
  }
}

/** A file of which nothing looks like skin data is the wrong one; a part that cannot be read is a verdict among others. */
async function* fileSkins(all: AsyncIterable<FoundSkin>): AsyncGenerator<Kept> {
  for await (const found of all) {
    if ('note' in found) yield found;
    else if ('skin' in found) yield keptSkin(found.skin, found.place);
    else if (found.isEmpty) throw unreadable(found);
    else yield found;
  }
}

/** A folder of a plugin. Another one has its skins in a lockfile. */
async function* folderSkins(path: string): AsyncGenerator<Kept> {
  let isEmpty = true;
  const options = { recursive: false, rules: IgnoreRules.given([]) };
  const skins = existsSync(join(path, 'skins.lock'))
    ? []
    : fileSkins(pluginSkins({ label: path, path: resolve(path) }, options));
  for await (const found of skins) {
    isEmpty = false;
    yield found;
  }
  if (isEmpty) throw isFolder(path);
}

/** `label` is the source's name when the skin has no name of its own. */
function keptSkin({ signature = '', ...skin }: SkinInJson, label: string): StoredSkin {
  const { source = skin.name ?? skin.uuid ?? label, value, variant, url } = skin;
  return { source, value, signature, variant, texture: url, service: undefined, path: skin.source };
}

/**
 * Detects a lockfile by its first line, which is a complete entry; in a JSON document it is not, unless the document is
 * a single line.
 */
function isLockfile(path: string): boolean {
  const text = decodedText(startOf(path, FIRST_BYTES));
  return text.trim() === '' || path.endsWith('.lock') || text.split(/\r?\n/).some(isEntry);
}

function isEntry(line: string): boolean {
  return line.startsWith('{"source":') && line.includes('"options":{') && line.endsWith('}');
}

function isFolder(path: string): CliError {
  const lockfile = join(path, 'skins.lock');
  return new CliError('not_a_file', `${path} is a folder.`, {
    hint: existsSync(lockfile)
      ? `Give the lockfile in it: skinsmith verify ${lockfile}`
      : 'Give a lockfile (skins.lock), or JSON as generate --json and --out write it.',
  });
}

function unreadable({ fault, hint }: FaultyPart): CliError {
  return new CliError('no_skins', fault, { hint });
}

interface VerifyOptions {
  readonly key?: string;
  readonly requireSigner?: RequiredSigner;
  readonly offline?: boolean;
  readonly allowNetwork?: readonly string[];
}

const COLUMNS = {
  ...fieldColumns<SkinVerdict>('source'),
  verdict: (verdict) => (isBad(verdict) ? 'bad' : 'good'),
  ...fieldColumns<SkinVerdict>('signature', 'pixels', 'picture'),
  problems: ({ problems }) => problems.join(' '),
  ...fieldColumns<SkinVerdict>('signer'),
} satisfies Columns<SkinVerdict>;

const FIELDS: Fields<SkinVerdict> = {
  source: 'the source as the file names it',
  value: 'whether the texture value can be parsed: good or bad',
  signature: 'good, bad, unsigned, or unproved (unknown signer: no known key verifies it)',
  signer:
    'whose key verifies the signature: game, embedded, the address of a service, or unproved (unknown signer)',
  key: 'fingerprint of that key; absent if Mojang signed',
  pixels: 'whether texture and source have the same pixels: good, bad or unknown',
  picture: 'the source now compared with the one the skin was made from: same, changed or unknown',
  problems: 'what is wrong, in sentences; empty if nothing is',
};

export const verify = {
  description:
    'Verify signatures and textures of saved skins.\n' +
    'Checks that each value can be parsed, that its signature was made by Mojang, by the service ' +
    'that made the skin or by this machine, that its texture has the pixels of the source, and that ' +
    'the source has not changed since. Prints who signed the skins. The exit status is 1 if anything ' +
    'is wrong or has no signature. A skin with an unknown signer (no known key matches) does not count as wrong, unless ' +
    '--require-signer names a required signer.',
  examples: {
    'Verify all skins in a lockfile': 'skinsmith verify signed/skins.lock',
    'Verify skins without any network access': 'skinsmith verify signed/skins.lock --offline',
  },
  output: [
    {
      columns: COLUMNS,
      columnMeanings: { verdict: 'good if nothing is wrong, else bad' },
      json: { shape: 'list', fields: FIELDS },
    },
  ],
  declare: (command) =>
    command
      .argument(
        '<file...>',
        'lockfiles (skins.lock), JSON files written by generate, files or folders of plugins, or "value signature" itself',
      )
      .option('--key <file>', 'public key that must have signed every skin (PEM)')
      .addOption(requireSignerOption())
      .option('--offline', 'do not contact any service or fetch any texture')
      .option(...ALLOW_NETWORK),
  run: runVerify,
} satisfies CommandModule;

export async function runVerify(
  files: readonly string[],
  options: VerifyOptions,
  context: CommandContext,
): Promise<number> {
  const { offline: isOffline = false, allowNetwork } = options;
  const verifiers = await verifierClients({ context, isOffline, allowNetwork });
  const printer = await openPrinter(context);
  const tally = new Tally(verifiers.own);
  const progress = await context.messages.progress('Verifying');
  try {
    const against = { given: await readGivenKey(options), verifiers, required: options.requireSigner };
    for await (const kept of allSkins(files)) {
      context.signal.throwIfAborted();
      if ('note' in kept) {
        await progress.aside(() => context.messages.say(kept.note));
        continue;
      }
      const one = 'fault' in kept ? unread(kept) : await verifyOne(kept, against);
      await progress.aside(() => printer.add(one.verdict));
      tally.add(one);
      progress.text(`Verifying, ${count(tally.all)} so far`);
    }
    printer.end();
  } finally {
    progress.stop();
    printer.endEarly();
    await verifiers.close();
  }
  context.messages.say(tally.text);
  for (const note of verifiers.textures?.notes ?? []) context.messages.say(note);
  return exitStatus(tally.isGood ? 'done' : 'failed');
}

async function* allSkins(files: readonly string[]): ReturnType<typeof keptSkins> {
  for (const file of files) yield* keptSkins(file);
}

interface VerdictPrinter {
  add(verdict: SkinVerdict): void;
  end(): void;
  /** The same after an error; does nothing after `end`. */
  endEarly(): void;
}

/** Prints verdicts as JSON or as columns for programs; for people, only those with something to say. */
async function openPrinter({ io, flags }: CommandContext): Promise<VerdictPrinter> {
  if (flags.json) {
    const list = new JsonList(io.out);
    let at = 0;
    return {
      add: (verdict) => list.add(verdict, at++),
      end: () => list.end(),
      endEarly: () => list.endEarly(),
    };
  }
  const colors = await colorsFor(io.out);
  const add = (verdict: SkinVerdict) => {
    if (!io.out.isTTY) io.out.write(columnRows(COLUMNS, [verdict]));
    else if (isBad(verdict) || verdict.signature === 'unproved')
      io.out.write(verdictText(verdict, colors, widthOf(io.out)));
  };
  return { add, end: () => {}, endEarly: () => {} };
}

interface Verified {
  readonly verdict: SkinVerdict;
  /** Whether its texture was to be compared with its source, and could not be fetched, or not without network access. */
  readonly isUnchecked: boolean;
}

/** The verdict on a part of a file that cannot be read. */
function unread({ place, fault }: FaultyPart): Verified {
  const unknown = { signature: 'bad', signer: UNPROVED, pixels: 'unknown', picture: 'unknown' } as const;
  return { verdict: { source: place, value: 'bad', ...unknown, problems: [fault] }, isUnchecked: false };
}

async function readGivenKey({ key }: VerifyOptions): Promise<SignerKey | undefined> {
  if (key === undefined) return undefined;
  const publicKey = publicKeyIn(decodedText(await readBounded(key)), key);
  return { publicKey, service: undefined };
}

interface Against {
  readonly given: SignerKey | undefined;
  readonly verifiers: Verifiers;
  readonly required: RequiredSigner | undefined;
}

async function verifyOne(kept: StoredSkin, { given, verifiers, required }: Against): Promise<Verified> {
  const sourcePixels = pixelsNow(kept);
  const { gameKeys, own, textures } = verifiers;
  let isFetched = true;
  const fetchTexture = async (url: string) => {
    isFetched = false;
    const bytes = await textures!.texture(url);
    isFetched = true;
    return bytes;
  };
  const texture = textures && fetchTexture;
  const keys = given ? { key: given } : { key: await verifiers.keyOf(kept.service), gameKeys, own };
  const verdict = await verifySkin(kept, { ...keys, required, texture, sourcePixels });
  const hasSource = (kept.pixels ?? kept.path) !== undefined;
  return { verdict, isUnchecked: !isFetched || (verdict.pixels === 'unknown' && hasSource) };
}

/** The pixels of the source as the skin was made from it, be that with --fit or without. */
function pixelsNow({ path, pixels }: StoredSkin): string | undefined {
  if (path === undefined) return undefined;
  const all = [false, true].map((fit) => inspectSource({ kind: 'file', path, fit }, 'auto', undefined));
  const found = all.flatMap((one) => ('pixels' in one && one.pixels !== undefined ? [one.pixels] : []));
  return found.find((one) => one === pixels) ?? found[0];
}

function verdictText({ source, problems, signature }: SkinVerdict, colors: Colors, width: number): string {
  const mark = problems.length > 0 ? colors.bad('✖') : colors.warn('•');
  const notes = signature === 'unproved' ? ['unknown signer: no known key verifies the signature'] : [];
  const lines = [...problems, ...notes].map((line) => `  ${hanging(clean(line), 2, width)}`);
  return `${[`${mark} ${colors.strong(clean(source))}`, ...lines].join('\n')}\n`;
}

class Tally {
  all = 0;
  #bad = 0;
  /** Skins without a signature, which are not among the bad ones. */
  #unsigned = 0;
  #unproved = 0;
  #unchecked = 0;
  readonly #signers: SignerTally;

  constructor(ownKey: PublicSigningKey | undefined) {
    this.#signers = new SignerTally(ownKey);
  }

  add({ verdict, isUnchecked }: Verified): void {
    this.all++;
    if (verdict.signature === 'unsigned') this.#unsigned++;
    else if (isBad(verdict)) this.#bad++;
    if (verdict.signature === 'unproved') this.#unproved++;
    if (isUnchecked) this.#unchecked++;
    if (verdict.signature === 'good') this.#signers.add(verdict);
  }

  get isGood(): boolean {
    return this.#bad + this.#unsigned === 0;
  }

  get text(): string {
    const found = [
      this.#bad > 0 ? `${count(this.#bad)} wrong` : undefined,
      this.#unsigned > 0 ? `${count(this.#unsigned)} without a signature` : undefined,
      this.#unproved > 0
        ? `${count(this.#unproved)} with an unknown signer (no known key matches)`
        : undefined,
      this.#unchecked > 0 ? `${count(this.#unchecked)} whose texture was not checked` : undefined,
    ].filter(Boolean);
    const skins = this.all === 1 ? '1 skin' : `${count(this.all)} skins`;
    const end = `${skins}: ${found.length === 0 ? 'nothing wrong' : found.join(', ')}.`;
    return [end, this.#signers.text].filter(Boolean).join(' ');
  }
}
