import { readFile } from 'node:fs/promises';
import type {
  GeneratorKind,
  Logo,
  LogStream,
  OpenIdSettings,
  ServerOptions,
  Site,
  UpstreamSettings,
} from '../../server/server.ts';
import { fetchProxies, gameSettings, usableProxies } from '../config/network-settings.ts';
import { allowsInsecureHttp } from '../connection/connect.ts';
import type { CommandContext } from '../context/context.ts';
import { CliError } from '../errors/exit.ts';
import { colorsFor } from '../terminal/io.ts';
import { readSecretFile } from '../terminal/read-input.ts';
import { clean, isLoopback } from '../text/text.ts';
import { GENERATOR_KINDS, isIssuer, plainSettings, type ServeOptions } from './options.ts';
import { LogText, logsJson, ownLog } from './own-log.ts';
import { chooseStore, wrong } from './store.ts';

/** The options that the service starts with. @throws CliError */
export async function serverOptions(options: ServeOptions, context: CommandContext): Promise<ServerOptions> {
  return {
    ...plainSettings(options),
    dataDir: options.data ?? context.folders.data,
    store: chooseStore(options, { ...context, messages: ownLog(options, context) }),
    ...(await chooseGenerator(options, context)),
    ...gameSettings(options, context.env),
    proxies: usableProxies(context.env),
    fetchProxies: fetchProxies(options.fetchProxy, context.env),
    maxStoreBytes: options.maxStore === undefined ? undefined : options.maxStore * 1024 ** 2,
    pages: await choosePages(options),
    openId: await chooseOpenId(options, context),
    site: await chooseSite(options),
    networkLimits: networkLimitsOf(options),
    logLevel: options.logLevel ?? 'info',
    ...(await logStream(options, context)),
  };
}

/** Loads the pages only if people get some. */
async function choosePages({ pages = true }: ServeOptions): Promise<ServerOptions['pages']> {
  return pages ? (await import('../../pages/page-routes.ts')).PAGES : undefined;
}

/** A terminal gets a readable log; log collectors get JSON. */
async function logStream(
  { logFormat }: ServeOptions,
  { io, flags }: CommandContext,
): Promise<{ logStream?: LogStream }> {
  if (logsJson({ logFormat }, { io, flags })) return {};
  const { out, err } = io;
  const write = (text: string) => err.write(text);
  const showsRequests = flags.verbose ?? false;
  const isAnnounced = out.isTTY && err.isTTY && !flags.json;
  const colors = await colorsFor(err);
  return { logStream: new LogText({ write, colors, isAnnounced, showsRequests }) };
}

/** Only the options that the user typed. */
function networkLimitsOf({
  maxConnections,
  maxConnectionsPerAddress,
  requestsPerMinute,
}: ServeOptions): NonNullable<ServerOptions['networkLimits']> {
  return {
    ...(maxConnections !== undefined && { maxConnections }),
    ...(maxConnectionsPerAddress !== undefined && { maxConnectionsPerAddress }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
  };
}

type Addressed = Pick<ServeOptions, 'host' | 'publicUrl' | 'generator' | 'pack'>;

/** Warnings for the operator about the addresses of a service that listens at `url`. */
export function addressWarnings(url: string, options: Addressed, env: NodeJS.ProcessEnv): string[] {
  const all = [unreachableTextures(url, options, env), unreachablePack(url, options), lostPages(options)];
  return all.filter((one) => one !== undefined);
}

/**
 * Other machines should reach the service, but it signs an address of this machine into its skins, which are then
 * useless to players.
 */
function unreachableTextures(
  url: string,
  { host, publicUrl, generator }: Addressed,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const isOwnKey = (generator ?? (env['SKINSMITH_GENERATOR'] || 'signing')) === 'signing';
  const isForOthers = host !== undefined && !isLoopback(host);
  if (!isOwnKey || !isForOthers || publicUrl !== undefined || !isLoopback(new URL(url).hostname))
    return undefined;
  return (
    `Texture URLs of new skins start with ${url} permanently; other machines cannot reach it. ` +
    'Restart the service with the address that players use: --public-url https://skins.example.org'
  );
}

/** Each player's Minecraft loads the pack itself. */
function unreachablePack(url: string, { pack, publicUrl = url }: Addressed): string | undefined {
  if (pack === undefined || !isLoopback(new URL(publicUrl).hostname)) return undefined;
  return (
    'Only players on this machine reach the pack. For all others, restart the service with an address at which they reach ' +
    'this machine: --host 0.0.0.0 --public-url http://skins.example.org:7546'
  );
}

/** The links of pages begin at the root of a host. */
function lostPages({ publicUrl }: Addressed): string | undefined {
  if (publicUrl === undefined || new URL(publicUrl).pathname === '/') return undefined;
  return (
    `The pages do not work below a path, as in ${publicUrl}; the API and textures do if the proxy removes the path. ` +
    'To use the pages, give the service a host name of its own.'
  );
}

type Surroundings = Pick<CommandContext, 'env'> & Partial<Pick<CommandContext, 'flags' | 'io' | 'signal'>>;

interface ChosenGenerator {
  readonly generator: GeneratorKind;
  readonly upstream: UpstreamSettings | undefined;
}

/** The generator's configuration; options override the environment. @throws CliError */
export async function chooseGenerator(
  typed: ServeOptions,
  surroundings: Surroundings,
): Promise<ChosenGenerator> {
  const { env, flags = {} } = surroundings;
  const generator = typed.generator ?? kindIn(env['SKINSMITH_GENERATOR']) ?? 'signing';
  if (generator === 'upstream') {
    const insecureHttp = allowsInsecureHttp({ env, flags });
    return { generator, upstream: { ...(await upstreamOf(typed, surroundings)), insecureHttp } };
  }
  const stray = [typed.upstream, typed.upstreamKeyFile, typed.upstreamSlots, typed.upstreamVisibility];
  if (stray.some((option) => option !== undefined)) {
    throw wrong(
      `The options --upstream… work only with the generator "upstream", not with "${generator}".`,
      'Add: --generator upstream',
    );
  }
  return { generator, upstream: undefined };
}

function kindIn(text: string | undefined): GeneratorKind | undefined {
  if (!text) return undefined;
  const kind = GENERATOR_KINDS.find((known) => known === text);
  if (kind) return kind;
  throw wrong(`SKINSMITH_GENERATOR must be one of ${GENERATOR_KINDS.join(', ')}, not "${text}".`);
}

async function upstreamOf(typed: ServeOptions, surroundings: Surroundings): Promise<UpstreamSettings> {
  const { env } = surroundings;
  const url = typed.upstream ?? urlIn(env['SKINSMITH_UPSTREAM']);
  if (url === undefined) {
    throw wrong(
      'The generator "upstream" needs the service that makes the skins.',
      'Give its address: --upstream https://api.mineskin.org, or SKINSMITH_UPSTREAM',
    );
  }
  const { upstreamVisibility: visibility } = typed;
  return { url, apiKey: await keyOf(typed, surroundings), slots: typed.upstreamSlots, visibility };
}

function urlIn(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !text.includes('@')) return text.replace(/\/+$/, '');
  throw wrong('SKINSMITH_UPSTREAM must be an http address, without user name and password.'); // nor is one shown
}

/** Never read from the command line, which every user of the machine could see. */
async function keyOf({ upstreamKeyFile }: ServeOptions, surroundings: Surroundings): Promise<string> {
  const text =
    upstreamKeyFile === undefined
      ? surroundings.env['SKINSMITH_UPSTREAM_KEY']
      : await readSecretFile(upstreamKeyFile, 'key', surroundings);
  const key = text?.trim();
  if (key && /^[\x21-\x7e]{1,512}$/.test(key)) return key;
  const where = upstreamKeyFile ?? 'SKINSMITH_UPSTREAM_KEY';
  if (key)
    throw wrong(`${where} does not contain an API key, which is a single word of at most 512 characters.`);
  throw wrong(
    'The generator "upstream" needs a key for the service that makes the skins.',
    'Give a file that holds it: --upstream-key-file key.txt, or SKINSMITH_UPSTREAM_KEY',
  );
}

/** The provider's configuration; options override the environment. Undefined if there is none. @throws CliError */
export async function chooseOpenId(
  typed: ServeOptions,
  surroundings: Surroundings,
): Promise<OpenIdSettings | undefined> {
  const { env } = surroundings;
  const address = typed.oidcIssuer ?? issuerIn(env['SKINSMITH_OIDC_ISSUER']);
  if (address === undefined) {
    if (isTyped(typed))
      throw wrong('The options --oidc-… need the address of the provider.', 'Add: --oidc-issuer URL');
    return undefined;
  }
  const clientId = typed.oidcClientId ?? env['SKINSMITH_OIDC_CLIENT_ID'];
  if (!clientId) throw wrong('Sign-in by OpenID Connect needs a client ID.', 'Add: --oidc-client-id ID');
  if (typed.pages === false)
    throw wrong('Sign-in by OpenID Connect needs the pages.', 'Leave out --no-pages or --oidc-issuer');
  verifyPrivacy(address, surroundings);
  return {
    issuer: address,
    clientId,
    clientSecret: await secretOf(typed, surroundings),
    name: typed.oidcName ?? new URL(address).hostname,
    scopes: scopesOf(typed),
    planClaim: typed.oidcPlanClaim,
    operatorClaim: typed.oidcOperatorClaim,
    requiredClaim: typed.oidcRequireClaim,
  };
}

function isTyped(typed: object): boolean {
  return Object.entries(typed).some(([name, value]) => name.startsWith('oidc') && value !== undefined);
}

function issuerIn(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (isIssuer(text)) return text;
  throw wrong('SKINSMITH_OIDC_ISSUER must be an address like https://accounts.example.org.');
}

/** The client secret and the tokens would cross the network in plain text. */
function verifyPrivacy(address: string, { env, flags = {} }: Surroundings): void {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return;
  if (allowsInsecureHttp({ env, flags })) return;
  throw wrong(
    `${address} is not encrypted.`,
    'Use an https address, or --insecure-http for a network you trust',
  );
}

function scopesOf({ oidcScopes = 'openid profile email' }: ServeOptions): string {
  if (oidcScopes.split(' ').includes('openid')) return oidcScopes;
  throw wrong('The scopes of --oidc-scopes must include openid.');
}

/** Never read from the command line, which every user of the machine could see. */
async function secretOf(
  { oidcSecretFile: file }: ServeOptions,
  surroundings: Surroundings,
): Promise<string | undefined> {
  const text =
    file === undefined
      ? surroundings.env['SKINSMITH_OIDC_SECRET']
      : await readSecretFile(file, 'client secret', surroundings);
  const secret = text?.trim();
  if (secret === undefined || /^[\x20-\x7e]{1,512}$/.test(secret)) return secret;
  throw wrong(
    `${file ?? 'SKINSMITH_OIDC_SECRET'} does not contain a client secret, which is a single line of text.`,
  );
}

/** What the pages say about the service. @throws CliError for a logo that cannot be read */
export async function chooseSite(typed: ServeOptions): Promise<Partial<Site>> {
  const { serviceName: name, logo, notice, contact, termsUrl: terms, privacyUrl: privacy } = typed;
  return {
    ...(name !== undefined && { name }),
    ...(logo !== undefined && { logo: await readLogo(logo) }),
    ...{ notice, contact, terms, privacy },
  };
}

const MAX_LOGO_BYTES = 256 * 1024;

/** The media type of a picture by how its file begins. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n/, 'image/png'],
  [/^RIFF[\s\S]{4}WEBP/, 'image/webp'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^(?:\xef\xbb\xbf)?\s*<[\s\S]*?svg[\s>]/, 'image/svg+xml'],
];

async function readLogo(path: string): Promise<Logo> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_LOGO_BYTES) throw new Error('it is larger than 256 KiB');
    const start = bytes.subarray(0, 4_096).toString('latin1');
    const [, type] = BEGINNINGS.find(([beginning]) => beginning.test(start)) ?? [];
    if (type === undefined) throw new Error('it is not a PNG, WebP, JPEG or SVG picture');
    return { type, bytes };
  } catch (error) {
    const reason = (error as Error).message.split('\n', 1)[0] ?? '';
    throw new CliError('invalid_setting', `The logo ${clean(path)} cannot be used: ${clean(reason)}.`, {
      exit: 'usage',
      hint: 'Give a picture with --logo FILE.',
      cause: error,
    });
  }
}
