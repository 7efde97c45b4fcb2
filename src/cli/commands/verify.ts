import type { KeyObject } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { decodedText } from '../../base/text.ts';
import { sourcePath } from '../../batch/lockfile/entries.ts';
import { Lockfile } from '../../batch/lockfile/lockfile.ts';
import { EMBEDDED, type PublicSigningKey, UNPROVED } from '../../batch/model.ts';
import { inspectSource } from '../../batch/pictures.ts';
import { damageOf, signedBy } from '../../batch/plan/signer-rule.ts';
import type { GameKeys } from '../../batch/proof/known-keys.ts';
import {
  isBad,
  type KeptSkin,
  type RequiredSigner,
  type SignerKey,
  type SkinVerdict,
  verifySkin,
} from '../../batch/proof/verify-skin.ts';
import { withoutFileScheme } from '../../batch/sources/files.ts';
import { IgnoreRules } from '../../batch/sources/ignore-rules.ts';
import { type FaultyPart, type FoundSkin, pluginSkins, skinsInFile } from '../../batch/sources/skin-files.ts';
import type { SkinInJson } from '../../batch/sources/skin-json.ts';
import { isSkinText, readSkinText } from '../../batch/sources/skin-text.ts';
import { skinSource } from '../../batch/sources/supplied-skin.ts';
import { NetworkError, SkinsmithError } from '../../client/errors.ts';
import { SkinClient } from '../../client/skin-client.ts';
import { PrivateAddressError } from '../../dispatch/proof.ts';
import { publicKeyIn } from '../../dispatch/service-facts.ts';
import { SignerTally } from '../batch/call.ts';
import { readProxies } from '../config/network-settings.ts';
import { EMBEDDED_URL, requestHooks } from '../connection/connect.ts';
import { makeTextureGuard } from '../connection/texture-guard.ts';
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
      const { source, value, signature, pixels, texture, variant, service, options } = locked;
      const hasCape = options.cape !== undefined;
      const claim = signedBy(locked, {});
      const damage = damageOf(locked, {});
      const kept = { source, value, signature, pixels, texture, variant, service, hasCape, claim, damage };
      yield { ...kept, path: sourcePath(source, folder) };
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

/** Where keys and textures come from. */
interface Verifiers {
  /** The public key of a service; undefined if it has no key of its own or is unreachable. */
  readonly keyOf: (service: string | undefined) => Promise<SignerKey | undefined>;
  readonly gameKeys: GameKeys;
  readonly own: PublicSigningKey | undefined;
  /** If absent, nothing is fetched. */
  readonly textures: TextureHosts | undefined;
  readonly close: () => Promise<void>;
}

/** Milliseconds that a service may be failing before it counts as unreachable. */
const PATIENCE = { budget: 3_000, patience: 10_000 };

/** Asks each service once, without an API key: public keys and textures need none. */
export async function verifierClients({
  context,
  isOffline,
  allowNetwork,
}: {
  context: CommandContext;
  isOffline: boolean;
  allowNetwork?: readonly string[] | undefined;
}): Promise<Verifiers> {
  const clients = new Map<string, SkinClient>();
  const keys = new Map<string, Promise<SignerKey | undefined>>();
  const call = { signal: context.signal, retry: PATIENCE };
  const { flags, messages, waits } = context;
  const onRequest = flags.verbose ? messages.request.bind(messages) : undefined;
  const hooks = requestHooks({ onRequest, waits });
  const settings = await context.settings({ 'allow-network': allowNetwork });
  const inUse = flags.local ? undefined : settings['base-url'];
  const guard = makeTextureGuard({
    service: inUse,
    proxies: readProxies(context.env),
    allowed: settings['allow-network'],
  });
  const fetcher = new SkinClient({ baseUrl: EMBEDDED_URL, ...hooks, dispatcher: guard }); // texture addresses are absolute
  const proxied = await context.proxied();
  const find = async (service: string): Promise<SignerKey | undefined> => {
    const dispatcher = service === inUse ? proxied : guard;
    const client = new SkinClient({ baseUrl: service, ...hooks, dispatcher });
    clients.set(service, client);
    const publicKey = await publicKeyOf(client, call);
    return publicKey && { publicKey, service };
  };
  const { keys: gameKeys } = await context.game();
  return {
    keyOf: async (service) => {
      const name = service ?? inUse;
      if (name === undefined || name === EMBEDDED || isOffline) return undefined;
      const key = keys.get(name) ?? find(name);
      keys.set(name, key);
      return await key;
    },
    gameKeys: isOffline ? gameKeys.offline() : gameKeys,
    own: await context.ownKey(),
    textures: isOffline ? undefined : new TextureHosts(async (url) => await fetcher.texture(url, call)),
    close: async () => {
      await Promise.all([...clients.values(), fetcher, guard].map((one) => one.close()));
    },
  };
}

async function publicKeyOf(
  client: SkinClient,
  call: Parameters<SkinClient['keyDocument']>[0],
): Promise<KeyObject | undefined> {
  try {
    const { signaturePublickey } = await client.keyDocument(call);
    return signaturePublickey === undefined ? undefined : publicKeyIn(signaturePublickey, client.baseUrl);
  } catch (error) {
    if (!(error instanceof SkinsmithError)) throw error;
    return undefined; // the hosted service has no such document; a service that is down returns none
  }
}

/** Fetches a texture by its URL. @throws SkinsmithError */
type FetchTexture = (url: string) => Promise<Uint8Array>;

interface Unreachable {
  readonly error: SkinsmithError;
  /** How many textures were wanted from it. */
  textures: number;
}

/** Fetches textures, and gives up a host for good once it could not be reached: a lockfile has thousands of them there. */
export class TextureHosts {
  readonly #fetch: FetchTexture;
  readonly #unreachable = new Map<string, Unreachable>();

  constructor(fetch: FetchTexture) {
    this.#fetch = fetch;
  }

  /** @throws SkinsmithError; the same NetworkError for every texture of an unreachable host */
  async texture(url: string): Promise<Uint8Array> {
    const origin = URL.parse(url)?.origin ?? url;
    const known = this.#unreachable.get(origin);
    // On this machine, the path decides whether a request is allowed.
    if (known?.error instanceof NetworkError) {
      known.textures++;
      throw known.error;
    }
    try {
      return await this.#fetch(url);
    } catch (error) {
      if (error instanceof NetworkError || error instanceof PrivateAddressError) {
        const textures = (this.#unreachable.get(origin)?.textures ?? 0) + 1;
        this.#unreachable.set(origin, { error, textures });
      }
      throw error;
    }
  }

  /** `5 textures could not be fetched from http://…`: a sentence for each unreachable host. */
  get notes(): readonly string[] {
    return [...this.#unreachable].map(([origin, { textures, error }]) => {
      const what = textures === 1 ? '1 texture' : `${count(textures)} textures`;
      const why = error instanceof NetworkError ? '' : ', a private address that is not the service in use';
      return `${what} could not be fetched from ${origin}${why}.`;
    });
  }
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
  signature: 'good, bad, unsigned, or unproved if no known key verifies it',
  signer: 'whose key verifies the signature: game, embedded, the address of a service, or unproved',
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
    'is wrong or has no signature. A signature that no known key matches counts as unproved, not as wrong, unless ' +
    '--require-signer says who must have signed.',
  examples: [
    ['Verify all skins in a lockfile', 'skinsmith verify signed/skins.lock'],
    ['Verify skins without any network access', 'skinsmith verify signed/skins.lock --offline'],
  ],
  output: [
    {
      columns: COLUMNS,
      columnMeanings: { verdict: 'good if nothing is wrong, else bad' },
      json: { shape: 'list', fields: FIELDS },
    },
  ],
  declare(command) {
    command
      .argument(
        '<file...>',
        'lockfiles (skins.lock), JSON files written by generate, files or folders of plugins, or "value signature" itself',
      )
      .option('--key <file>', 'public key that must have signed every skin (PEM)')
      .addOption(requireSignerOption())
      .option('--offline', 'do not contact any service or fetch any texture')
      .option(...ALLOW_NETWORK);
  },
  run: runVerify,
} satisfies CommandModule;

export async function runVerify(
  files: readonly string[],
  options: VerifyOptions,
  context: CommandContext,
): Promise<number> {
  const { io, flags, messages } = context;
  const { offline: isOffline = false, allowNetwork } = options;
  const verifiers = await verifierClients({ context, isOffline, allowNetwork });
  const list = flags.json ? new JsonList(io.out) : undefined;
  const colors = await colorsFor(io.out);
  const tally = {
    all: 0,
    bad: 0,
    unsigned: 0,
    unproved: 0,
    unchecked: 0,
    signers: new SignerTally(verifiers.own),
  };
  const progress = await messages.progress('Verifying');
  const show = (verdict: SkinVerdict) => {
    if (list) list.add(verdict, tally.all);
    else if (!io.out.isTTY) io.out.write(columnRows(COLUMNS, [verdict]));
    else if (isBad(verdict) || verdict.signature === 'unproved')
      io.out.write(verdictText(verdict, colors, widthOf(io.out)));
  };
  try {
    const given = await readGivenKey(options);
    for (const file of files) {
      for await (const kept of keptSkins(file)) {
        context.signal.throwIfAborted();
        if ('note' in kept) {
          await progress.aside(() => messages.say(kept.note));
          continue;
        }
        const against = { given, verifiers, required: options.requireSigner };
        const { verdict, isFetched } =
          'fault' in kept ? { verdict: unread(kept), isFetched: true } : await verifyOne(kept, against);
        await progress.aside(() => show(verdict));
        tally.all++;
        progress.text(`Verifying, ${count(tally.all)} so far`);
        if (verdict.signature === 'unsigned') tally.unsigned++;
        else if (isBad(verdict)) tally.bad++;
        if (verdict.signature === 'unproved') tally.unproved++;
        const hasSource = !('fault' in kept) && (kept.pixels ?? kept.path) !== undefined;
        if (!isFetched || (verdict.pixels === 'unknown' && hasSource)) tally.unchecked++;
        if (verdict.signature === 'good') tally.signers.add(verdict);
      }
    }
    list?.end();
  } finally {
    progress.stop();
    list?.endEarly();
    await verifiers.close();
  }
  messages.say(endText(tally));
  for (const note of verifiers.textures?.notes ?? []) messages.say(note);
  return exitStatus(tally.bad + tally.unsigned > 0 ? 'failed' : 'done');
}

/** The verdict on a part of a file that cannot be read. */
function unread({ place, fault }: FaultyPart): SkinVerdict {
  const unknown = { signature: 'bad', signer: UNPROVED, pixels: 'unknown', picture: 'unknown' } as const;
  return { source: place, value: 'bad', ...unknown, problems: [fault] };
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

/** `isFetched`: false if the texture was wanted and could not be had. */
async function verifyOne(
  kept: StoredSkin,
  { given, verifiers, required }: Against,
): Promise<{ verdict: SkinVerdict; isFetched: boolean }> {
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
  return { verdict, isFetched };
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
  const notes = signature === 'unproved' ? ['signature: unproved'] : [];
  const lines = [...problems, ...notes].map((line) => `  ${hanging(clean(line), 2, width)}`);
  return `${[`${mark} ${colors.strong(clean(source))}`, ...lines].join('\n')}\n`;
}

interface Tally {
  readonly all: number;
  readonly bad: number;
  /** Skins without a signature, which are not among the bad ones. */
  readonly unsigned: number;
  readonly unproved: number;
  /** Skins whose texture was not compared with their source, as it could not be fetched or no network was allowed. */
  readonly unchecked: number;
  readonly signers: SignerTally;
}

function endText({ all, bad, unsigned, unproved, unchecked, signers }: Tally): string {
  const found = [
    bad > 0 ? `${count(bad)} wrong` : undefined,
    unsigned > 0 ? `${count(unsigned)} without a signature` : undefined,
    unproved > 0 ? `${count(unproved)} with an unverified signature (no known key matches)` : undefined,
    unchecked > 0 ? `${count(unchecked)} whose texture was not checked` : undefined,
  ].filter(Boolean);
  const skins = all === 1 ? '1 skin' : `${count(all)} skins`;
  const end = `${skins}: ${found.length === 0 ? 'nothing wrong' : found.join(', ')}.`;
  return [end, signers.text].filter(Boolean).join(' ');
}
