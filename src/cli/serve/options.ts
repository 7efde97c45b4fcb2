import { type Command, InvalidArgumentError, Option } from 'commander';
import type {
  ClaimTest,
  GeneratorKind,
  LogAddresses,
  LogLevel,
  UpstreamSettings,
} from '../../server/server.ts';
import type { AccountOptions } from '../config/network-settings.ts';
import {
  httpUrl,
  network,
  nonEmpty,
  origin,
  proxies,
  refuseCredentials,
  wholeDuration,
  wholeNumber,
} from '../options/option-values.ts';
import { addDoubleOptions, type DoubleCommandOptions } from './double.ts';
import type { StoreOptions } from './store.ts';

/** Command-line options for what the pages say about the service. */
export interface SiteOptions {
  readonly serviceName?: string;
  readonly logo?: string;
  readonly notice?: string;
  readonly contact?: string;
  readonly termsUrl?: string;
  readonly privacyUrl?: string;
}

/** A line of text with at most this many characters. */
export function shortLine(longest: number): (text: string) => string {
  return (text) => {
    const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
    if (line !== '' && line.length <= longest) return line;
    throw new InvalidArgumentError(`It must have 1 to ${longest} characters.`);
  };
}

/** The address of a page: on any server, or a path on this one. */
export function pageAddress(text: string): string {
  if (/^\/(?![/\\])\S*$/.test(text)) return text;
  refuseCredentials(text);
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw new InvalidArgumentError(
    'It must be an address like https://example.org/terms, or a path like /terms.',
  );
}

/** An email address, or the address of a page. */
export function contact(text: string): string {
  return /^[^\s@:/]+@[^\s@:/]+$/.test(text) ? `mailto:${encodeURI(text)}` : pageAddress(text);
}

/** Command-line options for the provider that people sign in with. */
export interface OpenIdOptions {
  readonly oidcIssuer?: string;
  readonly oidcClientId?: string;
  readonly oidcSecretFile?: string;
  readonly oidcName?: string;
  readonly oidcScopes?: string;
  readonly oidcPlanClaim?: string;
  readonly oidcOperatorClaim?: ClaimTest;
  readonly oidcRequireClaim?: ClaimTest;
}

/** Not the shortened form that other addresses get: a slash at the end belongs to an issuer. */
export function issuer(text: string): string {
  refuseCredentials(text);
  if (isIssuer(text)) return text;
  throw new InvalidArgumentError('It must be an address like https://accounts.example.org.');
}

export function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (!url || text.includes('@') || url.search || url.hash) return false;
  return /^https?:$/.test(url.protocol);
}

/** `groups=skins`, or the name of a claim that is true. */
function claimTest(text: string): ClaimTest {
  const [claim = '', ...value] = text.split('=');
  const isSound = claim !== '' && (value.length === 0 || value.join('=') !== '');
  if (isSound) return { claim, value: value.length === 0 ? undefined : value.join('=') };
  throw new InvalidArgumentError('It must be the name of a claim, or a name and a value like groups=skins.');
}

/** A table, so that a missing kind is a compile error. */
const KINDS = { signing: true, accounts: true, upstream: true } satisfies Record<GeneratorKind, true>;
export const GENERATOR_KINDS = Object.keys(KINDS) as GeneratorKind[];
const VISIBILITIES = ['public', 'unlisted', 'private'] as const;
const UPSTREAM_VISIBILITIES = VISIBILITIES satisfies readonly UpstreamSettings['visibility'][];

/** Command-line options for the generator. */
export interface GeneratorOptions {
  readonly generator?: GeneratorKind;
  readonly upstream?: string;
  readonly upstreamKeyFile?: string;
  readonly upstreamSlots?: number;
  readonly upstreamVisibility?: UpstreamSettings['visibility'];
}

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const satisfies readonly LogLevel[];
const LOG_FORMATS = ['json', 'text'] as const;
const LOG_ADDRESSES = ['full', 'short', 'none'] as const satisfies readonly LogAddresses[];

export interface ServeOptions
  extends GeneratorOptions,
    AccountOptions,
    StoreOptions,
    OpenIdOptions,
    SiteOptions,
    DoubleCommandOptions {
  readonly host?: string;
  readonly port?: number;
  readonly publicUrl?: string;
  readonly trustProxy?: string;

  readonly workers?: number;
  readonly pace?: number;
  readonly userAccounts?: boolean;

  readonly data?: string;
  readonly retention?: number;
  readonly durable?: boolean;
  readonly maxStore?: number;
  readonly signingKey?: string;
  readonly accountKey?: string;
  readonly newSigningKey?: boolean;

  readonly plans?: string;
  readonly anonymous?: boolean;
  readonly anonymousPerHour?: number;
  readonly allowOrigin?: readonly string[];
  readonly allowNetwork?: readonly string[];
  readonly fetchProxy?: string;
  readonly webhooks?: boolean;
  readonly pack?: string;
  readonly requestsPerMinute?: number;
  readonly joinsPerMinute?: number;
  readonly maxConnections?: number;
  readonly maxConnectionsPerAddress?: number;
  readonly openMetrics?: boolean;
  readonly pages?: boolean;
  readonly ownerKey?: boolean;

  readonly logLevel?: LogLevel;
  readonly logFormat?: (typeof LOG_FORMATS)[number];
  readonly logAddresses?: LogAddresses;
}

/** The options of `serve`, in groups. */
export function addServeOptions(command: Command): Command {
  const groups = [
    addAddressOptions,
    addGeneratorOptions,
    addUpstreamOptions,
    addGameAccountOptions,
    addDataOptions,
    addStoreOptions,
    addAccessOptions,
    addOpenIdOptions,
    addSiteOptions,
    addLogOptions,
    addDoubleOptions,
  ];
  for (const add of groups) add(command);
  return command;
}

function addAddressOptions(command: Command): Command {
  return command
    .optionsGroup('Address:')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1, this machine only)')
    .option('--port <port>', 'port to listen on; 0 for any free port (default: 7546)', wholeNumber(0, 65_535))
    .option('--public-url <url>', 'address under which players reach the service, for texture URLs', httpUrl)
    .option(
      '--trust-proxy <addresses>',
      'proxies whose X-Forwarded-For header to trust: loopback, addresses, networks (default: none)',
      proxies,
    );
}

function addGeneratorOptions(command: Command): Command {
  return command
    .optionsGroup('Making skins:')
    .addOption(
      new Option(
        '--generator <kind>',
        'what makes the skins: the signing key of this service, linked game accounts, or another service (default: signing)',
      ).choices(GENERATOR_KINDS),
    )
    .option(
      '--workers <number>',
      'number of jobs to generate at the same time; 0 for none (default: cores + 1, at most 4)',
      wholeNumber(0, 64),
    )
    .option(
      '--pace <duration>',
      'minimum time for each generation, such as 2s, to simulate a slow service',
      wholeDuration('ms', 0, 600_000, '2s'),
    );
}

/** In the group of the generators. */
function addUpstreamOptions(command: Command): Command {
  return command
    .option('--upstream <url>', 'address of the other service, for the generator upstream', httpUrl)
    .option('--upstream-key-file <file>', 'file with the API key for the other service', nonEmpty)
    .option(
      '--upstream-slots <number>',
      "maximum number of slots to use in the other service's queue (default: what the key's plan allows)",
      wholeNumber(1, 64),
    )
    .addOption(
      new Option(
        '--upstream-visibility <visibility>',
        'visibility of skins at the other service; private skins stay private if the plan allows it (default: unlisted)',
      ).choices(UPSTREAM_VISIBILITIES),
    );
}

/** In the group of the generators. */
function addGameAccountOptions(command: Command): Command {
  return command
    .option(
      '--account-delay <duration>',
      'minimum time between two skins made with one game account (default: 15s)',
      wholeDuration('s', 1, 3_600, '15s'),
    )
    .option(
      '--login-client-id <id>',
      'ID of your Microsoft application, approved by Mojang, for linking accounts',
      nonEmpty,
    )
    .option('--no-user-accounts', 'only operators may link game accounts (default: every user may)');
}

function addDataOptions(command: Command): Command {
  return command
    .optionsGroup('Data:')
    .option('--data <folder>', 'data folder, with the store and the signing key', nonEmpty)
    .option(
      '--retention <duration>',
      'how long to keep finished jobs (default: 7d)',
      wholeDuration('h', 1, 100_000, '7d'),
    )
    .option('--durable', 'flush every accepted job to disk, so that it survives a power cut')
    .option(
      '--max-store <mb>',
      'size of the store in MB at which it stops accepting new skins (default: 10240)',
      wholeNumber(1, 100_000_000),
    )
    .option(
      '--signing-key <file>',
      'file with the signing key (default: signing-key.pem in the data folder)',
      nonEmpty,
    )
    .option(
      '--new-signing-key',
      "start even if the signing key is missing or is not the one that signed the store's skins",
    )
    .option(
      '--account-key <file>',
      'file with the key that encrypts the tokens of game accounts (default: account-key in the data folder)',
      nonEmpty,
    );
}

/** For services of several machines. */
function addStoreOptions(command: Command): Command {
  return command
    .optionsGroup('PostgreSQL:')
    .option(
      '--store <url>',
      'database to use as the store, for any number of servers: postgres://user@host/name (default: a file in the data folder)',
      nonEmpty,
    )
    .option(
      '--store-connections <number>',
      'maximum number of connections of each process to the database (default: 10)',
      wholeNumber(2, 1_000),
    )
    .option('--store-pooler', 'the database is behind a transaction pooler such as PgBouncer');
}

function addAccessOptions(command: Command): Command {
  return command
    .optionsGroup('Access and limits:')
    .option('--plans <file>', 'JSON file with plans (default: plans.json in the data folder)', nonEmpty)
    .option('--no-owner-key', 'do not create an owner key at the first start')
    .option('--no-anonymous', 'refuse requests without an API key')
    .option(
      '--anonymous-per-hour <number>',
      'maximum number of new skins per hour for all callers without an API key (default: 5000)',
      wholeNumber(1, 10_000_000),
    )
    .option(
      '--allow-origin <origin>',
      'origin of web pages that may make and report skins without an API key; * for any (repeatable)',
      origin,
    )
    .option(
      '--allow-network <cidr>',
      'private network that webhooks, picture URLs and the issuer may point to, such as 10.0.0.0/8 (repeatable)',
      network,
    )
    .option(
      '--fetch-proxy <url>',
      'proxy for webhooks and picture URLs, which must itself refuse private networks (default: none)',
      nonEmpty,
    )
    .option('--no-webhooks', 'refuse callback URLs and send no webhooks')
    .option(
      '--requests-per-minute <number>',
      'maximum number of requests per minute from an address without a key (default: 6000)',
      wholeNumber(1, 10_000_000),
    )
    .option(
      '--joins-per-minute <number>',
      'maximum number of joins per minute that game servers may ask about (default: 300)',
      wholeNumber(1, 1_200),
    )
    .option(
      '--max-connections <number>',
      'maximum number of open connections (default: 2000)',
      wholeNumber(1, 65_535),
    )
    .option(
      '--max-connections-per-address <number>',
      'maximum number of open connections of an address without a valid key (default: 100)',
      wholeNumber(1, 65_535),
    )
    .option('--open-metrics', "allow reading /metrics without an operator's key")
    .option('--no-pages', 'serve the API only, without pages for browsers')
    .option(
      '--pack <pack>',
      'resource pack (zip or folder) to serve to players of a game server; prints the lines for server.properties',
      nonEmpty,
    );
}

function addOpenIdOptions(command: Command): Command {
  return command
    .optionsGroup('Sign-in by OpenID Connect:')
    .option('--oidc-issuer <url>', 'address of the sign-in provider', issuer)
    .option('--oidc-client-id <id>', "the service's client ID at the provider", nonEmpty)
    .option('--oidc-secret-file <file>', 'file with the client secret', nonEmpty)
    .option(
      '--oidc-name <name>',
      'name of the provider on the sign-in button (default: its host name)',
      nonEmpty,
    )
    .option('--oidc-scopes <scopes>', 'scopes to request (default: "openid profile email")', nonEmpty)
    .option('--oidc-plan-claim <claim>', 'claim that names the plan of a user', nonEmpty)
    .option('--oidc-operator-claim <claim=value>', 'claim that makes a user an operator', claimTest)
    .option('--oidc-require-claim <claim=value>', 'claim that a person needs to sign in', claimTest);
}

/** What the pages say about the service. */
function addSiteOptions(command: Command): Command {
  return command
    .optionsGroup('Pages:')
    .option('--service-name <name>', 'name of the service on its pages (default: skinsmith)', shortLine(60))
    .option('--logo <file>', 'picture beside the name: PNG, WebP, JPEG or SVG, at most 256 KiB', nonEmpty)
    .option('--notice <text>', 'text to show on every page', shortLine(500))
    .option('--contact <address>', "the operator's email address, or the address of a page", contact)
    .option('--terms-url <url>', 'address of the terms of use', pageAddress)
    .option('--privacy-url <url>', 'address of the privacy policy', pageAddress);
}

function addLogOptions(command: Command): Command {
  return command
    .optionsGroup('Log:')
    .addOption(new Option('--log-level <level>', 'what to log on stderr (default: info)').choices(LOG_LEVELS))
    .addOption(
      new Option(
        '--log-format <format>',
        'log format; text shows requests only with --verbose (default: text on a terminal, otherwise json)',
      ).choices(LOG_FORMATS),
    )
    .addOption(
      new Option(
        '--log-addresses <how>',
        "how to log the callers' addresses; short logs only the network (default: short)",
      ).choices(LOG_ADDRESSES),
    );
}
