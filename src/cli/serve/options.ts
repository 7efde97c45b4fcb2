import { type Command, InvalidArgumentError, Option } from 'commander';
import { WARDROBE_RULES } from '../../protocol/player.ts';
import type {
  ClaimTest,
  GeneratorKind,
  LogAddresses,
  LogLevel,
  ServerOptions,
  UpstreamSettings,
} from '../../server/server.ts';
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

const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const satisfies readonly LogLevel[];
const LOG_FORMATS = ['json', 'text'] as const;
const LOG_ADDRESSES = ['full', 'short', 'none'] as const satisfies readonly LogAddresses[];

interface Row {
  readonly flag: string;
  readonly help: string;
  /** Absent: any text, or none for a switch. Those of repeatable options get the earlier values too. */
  readonly parse?: (text: string) => unknown;
  readonly choices?: readonly string[];
  readonly to?: keyof ServerOptions;
}

/** The options of `serve`, in groups. `to`: the setting of the service that an option is. */
export const SERVE_OPTIONS = {
  'Address:': [
    {
      flag: '--host <address>',
      help: 'address to listen on (default: 127.0.0.1, this machine only)',
      to: 'host',
    },
    {
      flag: '--port <port>',
      help: 'port to listen on; 0 for any free port (default: 7546)',
      parse: wholeNumber(0, 65_535),
      to: 'port',
    },
    {
      flag: '--public-url <url>',
      help: 'address under which players reach the service, for texture URLs',
      parse: httpUrl,
      to: 'publicUrl',
    },
    {
      flag: '--trust-proxy <addresses>',
      help: 'proxies whose X-Forwarded-For header to trust: loopback, addresses, networks (default: none)',
      parse: proxies,
      to: 'trustProxy',
    },
  ],
  'Making skins:': [
    {
      flag: '--generator <kind>',
      help: 'what makes the skins: the signing key of this service, linked game accounts, or another service (default: signing)',
      choices: GENERATOR_KINDS,
    },
    {
      flag: '--workers <number>',
      help: 'number of jobs to generate at the same time; 0 for none (default: cores + 1, at most 4)',
      parse: wholeNumber(0, 64),
      to: 'workers',
    },
    {
      flag: '--pace <duration>',
      help: 'minimum time for each generation, such as 2s, to simulate a slow service',
      parse: wholeDuration('ms', 0, 600_000, '2s'),
      to: 'pace',
    },
    {
      flag: '--upstream <url>',
      help: 'address of the other service, for the generator upstream',
      parse: httpUrl,
    },
    {
      flag: '--upstream-key-file <file>',
      help: 'file with the API key for the other service',
      parse: nonEmpty,
    },
    {
      flag: '--upstream-slots <number>',
      help: "maximum number of slots to use in the other service's queue (default: what the key's plan allows)",
      parse: wholeNumber(1, 64),
    },
    {
      flag: '--upstream-visibility <visibility>',
      help: 'visibility of skins at the other service; private skins stay private if the plan allows it (default: unlisted)',
      choices: UPSTREAM_VISIBILITIES,
    },
    {
      flag: '--account-delay <duration>',
      help: 'minimum time between two skins made with one game account (default: 15s)',
      parse: wholeDuration('s', 1, 3_600, '15s'),
    },
    {
      flag: '--login-client-id <id>',
      help: 'ID of your Microsoft application, approved by Mojang, for linking accounts',
      parse: nonEmpty,
    },
    {
      flag: '--no-user-accounts',
      help: 'only operators may link game accounts (default: every user may)',
      to: 'userAccounts',
    },
  ],
  'Data:': [
    { flag: '--data <folder>', help: 'data folder, with the store and the signing key', parse: nonEmpty },
    {
      flag: '--retention <duration>',
      help: 'how long to keep finished jobs (default: 7d)',
      parse: wholeDuration('h', 1, 100_000, '7d'),
      to: 'retentionHours',
    },
    {
      flag: '--durable',
      help: 'flush every accepted job to disk, so that it survives a power cut',
      to: 'durable',
    },
    {
      flag: '--max-store <mb>',
      help: 'size of the store in MB at which it stops accepting new skins (default: 10240)',
      parse: wholeNumber(1, 100_000_000),
    },
    {
      flag: '--signing-key <file>',
      help: 'file with the signing key (default: signing-key.pem in the data folder)',
      parse: nonEmpty,
      to: 'signingKeyFile',
    },
    {
      flag: '--new-signing-key',
      help: "start even if the signing key is missing or is not the one that signed the store's skins",
      to: 'newSigningKey',
    },
    {
      flag: '--account-key <file>',
      help: 'file with the key that encrypts the tokens of game accounts (default: account-key in the data folder)',
      parse: nonEmpty,
      to: 'accountKeyFile',
    },
  ],
  'PostgreSQL:': [
    {
      flag: '--store <url>',
      help: 'database to use as the store, for any number of servers: postgres://user@host/name (default: a file in the data folder)',
      parse: nonEmpty,
    },
    {
      flag: '--store-connections <number>',
      help: 'maximum number of connections of each process to the database (default: 10)',
      parse: wholeNumber(2, 1_000),
    },
    { flag: '--store-pooler', help: 'the database is behind a transaction pooler such as PgBouncer' },
  ],
  'Access and limits:': [
    {
      flag: '--plans <file>',
      help: 'JSON file with plans (default: plans.json in the data folder)',
      parse: nonEmpty,
      to: 'plansFile',
    },
    { flag: '--no-owner-key', help: 'do not create an owner key at the first start', to: 'ownerKey' },
    { flag: '--no-anonymous', help: 'refuse requests without an API key', to: 'anonymous' },
    {
      flag: '--anonymous-per-hour <number>',
      help: 'maximum number of new skins per hour for all callers without an API key (default: 5000)',
      parse: wholeNumber(1, 10_000_000),
      to: 'anonymousPerHour',
    },
    {
      flag: '--allow-origin <origin>',
      help: 'origin of web pages that may make and report skins without an API key; * for any (repeatable)',
      parse: origin,
      to: 'allowedOrigins',
    },
    {
      flag: '--allow-network <cidr>',
      help: 'private network that webhooks, picture URLs and the issuer may point to, such as 10.0.0.0/8 (repeatable)',
      parse: network,
      to: 'allowedNetworks',
    },
    {
      flag: '--fetch-proxy <url>',
      help: 'proxy for webhooks and picture URLs, which must itself refuse private networks (default: none)',
      parse: nonEmpty,
    },
    { flag: '--no-webhooks', help: 'refuse callback URLs and send no webhooks', to: 'webhooks' },
    {
      flag: '--requests-per-minute <number>',
      help: 'maximum number of requests per minute from an address without a key (default: 6000)',
      parse: wholeNumber(1, 10_000_000),
    },
    {
      flag: '--joins-per-minute <number>',
      help: 'maximum number of joins per minute that game servers may ask about (default: 300)',
      parse: wholeNumber(1, 1_200),
      to: 'joinsPerMinute',
    },
    {
      flag: '--max-connections <number>',
      help: 'maximum number of open connections (default: 2000)',
      parse: wholeNumber(1, 65_535),
    },
    {
      flag: '--max-connections-per-address <number>',
      help: 'maximum number of open connections of an address without a valid key (default: 100)',
      parse: wholeNumber(1, 65_535),
    },
    {
      flag: '--wardrobe <who>',
      help: 'who may give skins to player names that nobody has yet (default: operator)',
      choices: WARDROBE_RULES,
      to: 'wardrobe',
    },
    { flag: '--open-metrics', help: "allow reading /metrics without an operator's key", to: 'openMetrics' },
    { flag: '--no-pages', help: 'serve the API only, without pages for browsers' },
    {
      flag: '--pack <pack>',
      help: 'resource pack (zip or folder) to serve to players of a game server; prints the lines for server.properties',
      parse: nonEmpty,
    },
  ],
  'Sign-in by OpenID Connect:': [
    { flag: '--oidc-issuer <url>', help: 'address of the sign-in provider', parse: issuer },
    { flag: '--oidc-client-id <id>', help: "the service's client ID at the provider", parse: nonEmpty },
    { flag: '--oidc-secret-file <file>', help: 'file with the client secret', parse: nonEmpty },
    {
      flag: '--oidc-name <name>',
      help: 'name of the provider on the sign-in button (default: its host name)',
      parse: nonEmpty,
    },
    {
      flag: '--oidc-scopes <scopes>',
      help: 'scopes to request (default: "openid profile email")',
      parse: nonEmpty,
    },
    { flag: '--oidc-plan-claim <claim>', help: 'claim that names the plan of a user', parse: nonEmpty },
    {
      flag: '--oidc-operator-claim <claim=value>',
      help: 'claim that makes a user an operator',
      parse: claimTest,
    },
    {
      flag: '--oidc-require-claim <claim=value>',
      help: 'claim that a person needs to sign in',
      parse: claimTest,
    },
  ],
  'Pages:': [
    {
      flag: '--service-name <name>',
      help: 'name of the service on its pages (default: skinsmith)',
      parse: shortLine(60),
    },
    {
      flag: '--logo <file>',
      help: 'picture beside the name: PNG, WebP, JPEG or SVG, at most 256 KiB',
      parse: nonEmpty,
    },
    { flag: '--notice <text>', help: 'text to show on every page', parse: shortLine(500) },
    {
      flag: '--contact <address>',
      help: "the operator's email address, or the address of a page",
      parse: contact,
    },
    { flag: '--terms-url <url>', help: 'address of the terms of use', parse: pageAddress },
    { flag: '--privacy-url <url>', help: 'address of the privacy policy', parse: pageAddress },
  ],
  'Log:': [
    { flag: '--log-level <level>', help: 'what to log on stderr (default: info)', choices: LOG_LEVELS },
    {
      flag: '--log-format <format>',
      help: 'log format; text shows requests only with --verbose (default: text on a terminal, otherwise json)',
      choices: LOG_FORMATS,
    },
    {
      flag: '--log-addresses <how>',
      help: "how to log the callers' addresses; short logs only the network (default: short)",
      choices: LOG_ADDRESSES,
      to: 'logAddresses',
    },
  ],
  'As a double, for tests of clients:': [
    {
      flag: '--double',
      help: 'run a double of a service for tests, in memory and with faults on demand (docs/testing.md)',
    },
    {
      flag: '--as <service>',
      help: 'service to imitate (default: hosted)',
      choices: ['hosted', 'skinsmith'],
    },
    {
      flag: '--scenario <file|name>',
      help: 'what the double does: a YAML or JSON file, or a name',
      parse: nonEmpty,
    },
    {
      flag: '--seed <number>',
      help: 'seed for IDs and random faults (default: 1)',
      parse: wholeNumber(0, 2 ** 31 - 1),
    },
    {
      flag: '--clock <clock>',
      help: 'whether time runs, or stands still until it is advanced (default: running)',
      choices: ['running', 'manual'],
    },
    { flag: '--polite', help: 'exit with 1 if a client broke the rules in docs/testing.md' },
    {
      flag: '--parent-stdin',
      help: 'end when standard input ends, as it does when the program that started this one is gone',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Row[]>>;

type Rows = (typeof SERVE_OPTIONS)[keyof typeof SERVE_OPTIONS][number];

/** The name that commander gives an option. */
type NameOf<Flag> = Flag extends `--no-${infer Words}`
  ? Camel<Words>
  : Flag extends `--${infer Words} <${string}`
    ? Camel<Words>
    : Flag extends `--${infer Words}`
      ? Camel<Words>
      : never;

type Camel<Words> = Words extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Words;

type ValueOf<One> = One extends { readonly parse: (text: string) => infer Value }
  ? Value
  : One extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : One extends { readonly flag: `${string}<${string}` }
      ? string
      : boolean;

export type ServeOptions = { readonly [One in Rows as NameOf<One['flag']>]?: ValueOf<One> };

type Settings = {
  [One in Rows as One extends { readonly to: infer To extends string } ? To : never]?: ValueOf<One>;
};

export function addServeOptions(command: Command): Command {
  for (const [group, rows] of Object.entries(SERVE_OPTIONS)) {
    command.optionsGroup(group);
    for (const row of rows) command.addOption(optionOf(row));
  }
  return command;
}

function optionOf({ flag, help, parse, choices }: Row): Option {
  const option = new Option(flag, help);
  if (choices) return option.choices(choices);
  return parse ? option.argParser<unknown>(parse) : option;
}

/** The options that are settings of the service as they are. */
export function plainSettings(options: ServeOptions): Settings {
  const rows: readonly Row[] = Object.values(SERVE_OPTIONS).flat();
  return Object.fromEntries(rows.flatMap((row) => (row.to ? [[row.to, options[optionName(row)]]] : [])));
}

export function optionName({ flag, help }: Row): keyof ServeOptions {
  return new Option(flag, help).attributeName() as keyof ServeOptions;
}
