import { join } from 'node:path';
import { shownName } from '../../base/text.ts';
import type { BatchResult, BatchSource, Coverage, SignedBy } from '../../batch/model.ts';
import { DeliveryError } from '../../batch/options.ts';
import { type GameKeys, type OutdatedSkins, type PublicSigningKey, signerText } from '../../batch/signers.ts';
import { fetchedSources } from '../../batch/sources/fetch-locally.ts';
import { openSources } from '../../batch/sources/lists.ts';
import { isSignedAsRequired, type RequiredSigner, requiredText } from '../../batch/verify-skin.ts';
import { readProxies } from '../config/network-settings.ts';
import type { Settings } from '../config/settings.ts';
import type { CommandContext } from '../context/context.ts';
import { usageError } from '../errors/exit.ts';
import type { TypedBatchOptions, TypedOutputOptions, TypedSkinOptions } from '../options/skin-options.ts';
import type { FormatCheck } from '../output/document-check.ts';
import type { FormatLike } from '../output/formats.ts';
import { openFormats } from '../output/results.ts';
import type { TypedPictureOption } from '../output/terminal-picture.ts';
import type { PackSkins } from '../pack/pack-skins.ts';
import type { IntoPlugin } from '../plugins/into-plugin.ts';
import { openStdin } from '../terminal/read-input.ts';
import { count } from '../text/text.ts';

/** One command over many sources, as the user typed it. */
export interface BatchCall {
  readonly context: CommandContext;
  readonly settings: Settings;
  readonly typed: TypedSkinOptions &
    TypedOutputOptions &
    TypedBatchOptions &
    TypedPictureOption & { readonly sources: readonly string[] };
  /** Follow the jobs until they end; otherwise only submit them. */
  readonly follow: boolean;
  /** UUID of the cape to combine with every skin. */
  readonly cape: string | undefined;
  /** The user named several sources, or a folder: JSON output is then a list, even for a single result. */
  readonly isList: boolean;
  /** Checks the documents of a template with a head and a foot, if their extension says what they are. */
  readonly check?: FormatCheck | undefined;
  /** The plugin whose files get the skins. */
  readonly into?: IntoPlugin | undefined;
  /** The pack that has the textures, if commands are to use one. */
  readonly pack?: PackSkins | undefined;
  /** Identifies a command that has no lockfile, so that a repeated run resumes where the last one stopped. */
  readonly purpose: string;
}

interface SourceReadingOptions {
  /** Called with a sentence about each unusable part of a list. */
  readonly warn?: (message: string) => void;
  /** Records the folders and lists that were read whole. */
  readonly coverage?: Coverage | undefined;
}

/** Returns the named sources as a stream. */
export function sourcesOf(
  { context, typed, pack }: Pick<BatchCall, 'context' | 'typed' | 'pack'>,
  { warn = (message) => void context.messages.warn(message), coverage }: SourceReadingOptions = {},
): AsyncIterable<BatchSource> {
  const all = openSources(specOf(typed), { ...rootsOf(context), warn, coverage });
  const found = pack ? pack.noted(all) : all;
  const sources = typed.fetchLocally ? fetched(found, context) : found;
  return typed.name === undefined ? sources : named(sources, typed.name);
}

/** The formats that the user chose. @throws CliError for a template that is not one */
export function formatsOf({ settings, pack }: BatchCall): readonly FormatLike[] | undefined {
  return openFormats(settings.format, { pack });
}

function fetched(
  sources: AsyncIterable<BatchSource>,
  { signal, env, waits }: Pick<CommandContext, 'signal' | 'env' | 'waits'>,
): AsyncIterable<BatchSource> {
  return fetchedSources(sources, {
    signal,
    proxies: readProxies(env),
    onWait: (wait) => waits.paused(wait),
  });
}

async function* named(sources: AsyncIterable<BatchSource>, name: string): AsyncGenerator<BatchSource> {
  for await (const source of sources) yield { ...source, name: shownName(name) };
}

/** The options that name sources. */
type TypedSources = Pick<TypedBatchOptions, 'recursive' | 'ignore' | 'from' | 'player' | 'as' | 'fit'> & {
  readonly sources: readonly string[];
};

export function specOf(typed: TypedSources) {
  return {
    args: typed.sources,
    players: typed.player ?? [],
    from: typed.from ?? [],
    recursive: typed.recursive ?? false,
    ignore: typed.ignore ?? [],
    ...(typed.fit && { fit: true }),
    ...(typed.as && { as: typed.as }),
  };
}

/** @throws CliError if nothing names a source */
export function verifySources(
  { args, players, from }: ReturnType<typeof specOf>,
  hint = 'Give a PNG file, a folder, --player NAME, or --from LIST.',
): void {
  if (args.length + players.length + from.length === 0)
    throw usageError('no_source', 'No sources given.', hint);
}

export function rootsOf(context: Pick<CommandContext, 'io' | 'signal'>) {
  return { cwd: process.cwd(), stdin: () => openStdin(context) };
}

/** What plans and batches know of the command. */
export function planInputOf({ context, settings, typed, cape, purpose }: BatchCall) {
  const { signal, folders } = context;
  const { variant, visibility } = settings;
  const { force, keepSignatures } = typed;
  const stateDir = join(folders.data, 'batches');
  return { stateDir, purpose, variant, visibility, cape, force, keepSignatures, signal };
}

/** The one skin that an argument names. @throws CliError if it names several, as a folder does */
export async function onlySource(text: string, context: CommandContext): Promise<BatchSource> {
  const sources: BatchSource[] = [];
  const spec = { args: [text], from: [], recursive: false, ignore: [] };
  for await (const source of openSources(spec, rootsOf(context))) {
    sources.push(source);
    if (sources.length > 1) break;
  }
  const [only] = sources;
  if (only && sources.length === 1 && !isEmptyFolder(only)) return only;
  throw usageError('not_one_source', `${text} is not a single skin.`, 'Give one PNG file, not a folder.');
}

/** Its own hint leads to an option that only commands for many skins have. */
function isEmptyFolder({ content }: BatchSource): boolean {
  return content.kind === 'problem' && content.problem.code === 'empty_folder';
}

/** Rejects results that another signer signed. @throws DeliveryError */
export async function verifyRequiredSigner(
  result: BatchResult,
  required: RequiredSigner | undefined,
  gameKeys: GameKeys,
): Promise<void> {
  if (!required) return; // before the skin is touched: that reads a known one from the lockfile
  const { source, skin } = result;
  if (!skin || (await isSignedAsRequired(skin, required, gameKeys))) return;
  throw new DeliveryError('wrong_signer', `${source} is not signed by ${requiredText(required)}.`);
}

/**
 * `12 signed by this machine, not by https://…: will be made again`. Printed in pipes too, because these skins will cost
 * generations.
 */
export async function printSigners(
  {
    outdated,
    unknownSigner,
  }: { readonly outdated: readonly OutdatedSkins[]; readonly unknownSigner: number },
  { context, settings }: Pick<BatchCall, 'context' | 'settings'>,
): Promise<void> {
  if (outdated.length === 0 && unknownSigner === 0) return;
  const { name } = await context.service(settings);
  const own = await context.ownKey();
  for (const { signedBy, sources } of outdated) {
    context.messages.say(
      `${count(sources)} signed by ${signerText(signedBy, own)}, not by ${name}: will be made again`,
    );
  }
  if (outdated.length > 0) await context.messages.note('--keep-signatures keeps them.');
  if (unknownSigner > 0) context.messages.say(unknownText(unknownSigner));
}

function unknownText(unknown: number): string {
  const skins = unknown === 1 ? '1 skin in the lockfile has' : `${count(unknown)} skins in the lockfile have`;
  return `${skins} an unknown signer; kept.`;
}

/** Counts skins by signer. */
export class SignerTally {
  readonly #counts = new Map<string, number>();
  readonly #own: PublicSigningKey | undefined;

  constructor(own: PublicSigningKey | undefined) {
    this.#own = own;
  }

  add(signedBy: SignedBy): void {
    const text = signerText(signedBy, this.#own);
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  /** `Signed by the game: 10, by this machine: 2.`; empty when there are no skins. */
  get text(): string {
    const parts = [...this.#counts].map(([who, skins]) => `by ${who}: ${count(skins)}`);
    return parts.length === 0 ? '' : `Signed ${parts.join(', ')}.`;
  }
}
