import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOpenToOthers, makePrivate } from '../../base/secret-files.ts';
import { type Game, openGame } from '../../game/game.ts';
import { ERRORS } from '../../protocol/errors.ts';
import { AccountKeyChangedError, TokenCipher } from '../accounts/held-account.ts';
import { type Accounts, openAccounts } from '../accounts/linking.ts';
import { ACCOUNT_KEY, SIGNING_KEY } from '../backup/data-files.ts';
import type { AccountGeneratorOptions } from '../generators/accounts.ts';
import { OwnKey, type SigningOptions, signingGenerator } from '../generators/own-key.ts';
import {
  GenerationError,
  type Generator,
  type GeneratorKind,
  type OpenGenerator,
} from '../generators/port.ts';
import type { OpenUpstreamOptions } from '../generators/upstream/open.ts';
import { type GuardedAgent, makeGuardedAgent } from '../outbound/guarded-agent.ts';
import { outboundPolicy } from '../outbound/target.ts';
import type { ClaimBounds } from '../queue/port.ts';
import { ownerOf } from '../service/callers.ts';
import type { Db } from '../store/db.ts';
import { keepMeta, readMeta, writeMeta } from '../store/meta.ts';
import type { UserRow } from '../store/schema/tables.ts';
import type { Releases } from './node.ts';
import type { ServerOptions } from './server-options.ts';
import type { ServiceParts } from './service-parts.ts';

type KeyOptions = Pick<ServerOptions, 'dataDir' | 'signingKeyFile' | 'accountKeyFile' | 'store'>;

export function signingKeyPath({ signingKeyFile, dataDir }: KeyOptions): string {
  return signingKeyFile ?? join(dataDir, SIGNING_KEY);
}

export function accountKeyPath({ accountKeyFile, dataDir }: KeyOptions): string {
  return accountKeyFile ?? join(dataDir, ACCOUNT_KEY);
}

/**
 * The secret files that other users can read. Keys are made private where possible; mounted files cannot be changed
 * from here.
 */
export async function findOpenSecrets(options: KeyOptions): Promise<string[]> {
  const keys = [signingKeyPath(options), accountKeyPath(options)].filter((path) => existsSync(path));
  for (const path of keys) await makePrivate(path);
  const paths = [...keys, ...passwordFiles(options)];
  const open = await Promise.all(paths.map(isOpenToOthers));
  return paths.filter((_, index) => open[index]);
}

function passwordFiles({ store }: KeyOptions): string[] {
  const path = store && new URL(store.url).searchParams.get('passfile');
  return path && existsSync(path) ? [path] : [];
}

/** How the service reaches the game and other servers. */
export interface Outbound {
  readonly game: Game;
  /** For addresses that callers name. */
  readonly pictures: GuardedAgent;
  /** For addresses named by the upstream service, which the operator has chosen. */
  readonly serviceTextures: GuardedAgent;
  readonly accounts: Accounts;
}

/** Opens them without sending a request. @throws AccountKeyError, AccountKeyChangedError */
export async function openOutbound(
  options: ServerOptions,
  parts: ServiceParts,
  releases: Releases,
): Promise<Outbound> {
  const { gameAddresses: addresses, accountRules: rules, loginClientId: clientId, proxies } = options;
  const cipher = await openCipher(options, parts.db);
  const { clock } = parts;
  const game = openGame({ ...options.game, ...(addresses && { addresses }), clock, proxies });
  releases.add(() => game.close());
  const policy = outboundPolicy(options);
  const pictures = makeGuardedAgent({ policy, proxies: options.fetchProxies });
  const serviceTextures = makeGuardedAgent({ policy, proxies });
  releases.add(async () => void (await Promise.all([pictures.close(), serviceTextures.close()])));
  return {
    game,
    pictures,
    serviceTextures,
    accounts: openAccounts({ ...parts, game, cipher, rules, clientId }),
  };
}

/** Servers that share a store must have the same key. The store keeps its fingerprint from the first use. */
async function openCipher(options: ServerOptions, db: Db): Promise<TokenCipher> {
  const path = accountKeyPath(options);
  if (!options.store) return new TokenCipher(path);
  const cipher = new TokenCipher(path, async (found) => {
    if (found !== undefined) await keepMeta(db, 'account-key', found);
    const kept = await readMeta(db, 'account-key');
    if (kept === found) return;
    const here = found === undefined ? `there is no ${path}` : `${path} is the key ${found}`;
    throw new AccountKeyChangedError(
      `This store's game accounts are encrypted with the key ${kept}, but ${here}.`,
    );
  });
  await cipher.start();
  return cipher;
}

/** What generators need to open; each takes its part. */
interface GeneratorContext extends SigningOptions, AccountGeneratorOptions, OpenUpstreamOptions {}

/** How to open each kind. Code that only `serve` uses is loaded on demand. */
const GENERATORS = {
  signing: async (context) => ({ generator: signingGenerator(context) }),
  accounts: async (context) =>
    await (await import('../generators/accounts.ts')).openAccountsGenerator(context),
  upstream: async (context) => await (await import('../generators/upstream/open.ts')).openUpstream(context),
} satisfies Record<GeneratorKind, (context: GeneratorContext) => Promise<OpenGenerator>>;

/**
 * Whether another service does the work. Unused capacity there is wasted, while here it is merely saved, so by default
 * a plan may use all of it (`burst`).
 */
export const IS_REMOTE = {
  signing: false,
  accounts: true,
  upstream: true,
} as const satisfies Record<GeneratorKind, boolean>;

/** The same generator, slowed down to one skin per `ms` and worker, to rehearse with a slow service. */
function paced(generator: Generator, ms: number, clock: SigningOptions['clock']): Generator {
  if (ms === 0) return generator;
  return {
    ...generator,
    generate: async (texture, signal) => {
      const [data] = await Promise.all([generator.generate(texture, signal), clock.sleep(ms, signal)]);
      return data;
    },
  };
}

/** The same generator, whose jobs fail and whose data is out of date when the options say so. */
function rehearsed(
  generator: Generator,
  { rehearse, edition = () => 0 }: Pick<ServerOptions, 'rehearse' | 'edition'>,
): Generator {
  if (!rehearse) return generator;
  return {
    ...generator,
    signer: async (pixels) => `${await generator.signer(pixels)} ${edition(pixels)}`,
    generate: async (texture, signal) => {
      const code = await rehearse(texture.hash, signal);
      if (code) throw new GenerationError(code, ERRORS[code].message, { isFinal: true });
      return await generator.generate(texture, signal);
    },
  };
}

/** The service's own signing key. An existing one must be usable. @throws SigningKeyError, SigningKeyChangedError */
export async function openOwnKey(options: ServerOptions, db: Db): Promise<OwnKey> {
  const { store, signingKey: given, newSigningKey = false } = options;
  const path = signingKeyPath(options);
  const isUsed = kindOf(options) === 'signing';
  const ownKey = new OwnKey({ db, path, given, isUsed, isShared: store !== undefined });
  await ownKey.start(newSigningKey);
  return ownKey;
}

/** Opens the generator that the options name, slowed down if they say so. */
export async function openGenerator(
  options: ServerOptions,
  parts: ServiceParts & Pick<Outbound, 'accounts' | 'serviceTextures'>,
  { ownKey, publicUrl, releases }: { ownKey: OwnKey; publicUrl: () => string; releases: Releases },
): Promise<OpenGenerator> {
  const opened: OpenGenerator = await GENERATORS[kindOf(options)]({
    ...parts,
    key: async () => await ownKey.open(),
    hasKey: () => ownKey.isThere,
    isKeyChanged: async () => await ownKey.isChanged(),
    publicUrl,
    wake: () => parts.signals.work(),
    upstream: options.upstream,
    pictures: parts.serviceTextures,
    proxies: options.proxies,
  });
  releases.add(() => opened.close?.());
  const generator = paced(opened.generator, options.pace ?? 0, parts.clock);
  return { ...opened, generator: rehearsed(generator, options) };
}

export function kindOf({ generator = 'signing' }: Pick<ServerOptions, 'generator'>): GeneratorKind {
  return generator;
}

/**
 * Whose jobs a service processes. `serve` processes all, and records in the store what makes its skins. A service that
 * a command starts for a while (`isBrief`) may have another generator than the store's users expect: then it processes
 * only the owner's jobs, and those of others wait for `serve`.
 */
export async function jobsToDo(
  db: Db,
  options: Pick<ServerOptions, 'generator' | 'embedded' | 'isBrief'>,
  owner: Pick<UserRow, 'id'>,
): Promise<Pick<ClaimBounds, 'owners'>> {
  const usual = (await readMeta(db, 'generator')) ?? 'signing';
  const kind = kindOf(options);
  if (usual === kind) return {};
  if (options.embedded || options.isBrief) return { owners: { only: [ownerOf(owner.id)] } };
  await writeMeta(db, 'generator', kind);
  return {};
}
