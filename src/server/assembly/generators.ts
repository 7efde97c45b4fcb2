import type { AccountsOptions } from '../generators/accounts.ts';
import { OwnKey } from '../generators/own-key.ts';
import type { Generator, GeneratorKind, OpenGenerator } from '../generators/port.ts';
import { type SigningOptions, signingGenerator } from '../generators/signing.ts';
import type { UpstreamOptions } from '../generators/upstream/open.ts';
import type { Db } from '../store/db.ts';
import type { Basis } from './basis.ts';
import { signingKeyPath } from './key-files.ts';
import type { Outbound } from './outbound.ts';
import type { Releases } from './releases.ts';
import type { ServerOptions } from './server-options.ts';

/** Everything that generators are opened with; each takes what it needs. */
interface GeneratorContext extends SigningOptions, AccountsOptions, UpstreamOptions {}

/** How to open each kind. Code that only `serve` uses is loaded on demand. */
const GENERATORS = {
  signing: async (context) => ({ generator: signingGenerator(context) }),
  accounts: async (context) =>
    await (await import('../generators/accounts.ts')).openAccountsGenerator(context),
  upstream: async (context) => await (await import('../generators/upstream/open.ts')).openUpstream(context),
} satisfies Record<GeneratorKind, (context: GeneratorContext) => Promise<OpenGenerator>>;

/**
 * Whether another service does the work. Its idle capacity is lost, while that of this machine is merely saved, so by
 * default a plan may use all of it (`burst`).
 */
export const MADE_ELSEWHERE = {
  signing: false,
  accounts: true,
  upstream: true,
} as const satisfies Record<GeneratorKind, boolean>;

/** The same generator, slowed down to one skin per `ms` and worker: for rehearsing against a slow service. */
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

/** The service's own signing key. One that is there must be usable. @throws SigningKeyError, SigningKeyChangedError */
export async function openOwnKey(options: ServerOptions, db: Db): Promise<OwnKey> {
  const { store, newSigningKey } = options;
  const path = signingKeyPath(options);
  const isUsed = kindOf(options) === 'signing';
  const ownKey = new OwnKey({ db, path, isUsed, isShared: store !== undefined });
  await ownKey.start(newSigningKey ?? false);
  return ownKey;
}

/** Opens the generator that the options name, slowed down if they say so. */
export async function openGenerator(
  options: ServerOptions,
  parts: Basis & Pick<Outbound, 'accounts' | 'serviceTextures'>,
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
  return { ...opened, generator: paced(opened.generator, options.pace ?? 0, parts.clock) };
}

/** The kind of generator that the options name. */
export function kindOf({ generator = 'signing' }: Pick<ServerOptions, 'generator'>): GeneratorKind {
  return generator;
}
