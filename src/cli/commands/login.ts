import { EMBEDDED } from '../../batch/signers.ts';
import { ServiceError, UnreadableAnswerError } from '../../client/errors.ts';
import type { SkinClient } from '../../client/skin-client.ts';
import type { Me } from '../../protocol/account.ts';
import type { ReceivedRateLimit as RateLimit } from '../../protocol/envelope.ts';
import { isPending } from '../../protocol/job.ts';
import { allowsInsecureHttp, type Connection, makeClient } from '../connection/connect.ts';
import { type CommandContext, type CommandModule, connectWithProgress } from '../context/context.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { signInHint } from '../errors/service-hints.ts';
import { type Columns, columnRows, type Fields } from '../output/described.ts';
import { askSecret, confirm, readSecretFile, readStdinText } from '../terminal/read-input.ts';
import { clean, jsonDocument } from '../text/text.ts';

export const login = {
  description:
    'Store an API key for a service.\n' +
    'Checks the key with the service (see --base-url) before storing it. The key is read from the ' +
    'terminal without echo, from a file, or from stdin; it is only ever sent to the service it was ' +
    'stored for.',
  examples: {
    'Store the key for a hosted service':
      'skinsmith login --base-url https://api.mineskin.org --key-file mineskin.key',
    'Read the key from another program':
      'cat team.key | skinsmith login - --base-url https://skins.example.org',
  },
  output: [],
  declare: (command) =>
    command
      .argument('[-]', 'read the key from stdin')
      .option('--key-file <file>', 'read the key from this file, - for stdin'),
  run: runLogin,
} satisfies CommandModule;

/** `from`: `-` to read the key from stdin. */
export async function runLogin(
  from: string | undefined,
  { keyFile }: { readonly keyFile?: string },
  context: CommandContext,
): Promise<void> {
  const settings = await context.settings();
  const baseUrl = context.flags.local ? undefined : settings['base-url'];
  if (baseUrl === undefined) {
    throw usageError(
      'no_service',
      'The embedded service needs no key.',
      'Name the service the key is for, such as MineSkin: skinsmith login --base-url https://api.mineskin.org',
    );
  }
  const isAsked = from === undefined && keyFile === undefined;
  if (isAsked && context.io.canPrompt) await verifyService(baseUrl, context);
  const key = await readKey({ from, keyFile }, baseUrl, context);
  const name = await verifyKey(baseUrl, key, context);
  const configFile = await context.configFile();
  await configFile.keepKey(baseUrl, key);
  context.messages.say(
    `Signed in to ${baseUrl} as ${name}; the key (…${key.slice(-4)}) is stored in ${configFile.path}`,
  );
  if (context.env['SKINSMITH_API_KEY']?.trim())
    await context.messages.warn('SKINSMITH_API_KEY is set and is used instead of the stored key.');
  await offerDefault(baseUrl, isAsked, context);
}

/** Asks on a terminal whether to use the service by default; tells a script how to do so. */
async function offerDefault(baseUrl: string, isAsked: boolean, context: CommandContext): Promise<void> {
  const configFile = await context.configFile();
  if ((await configFile.settings())['base-url'] === baseUrl) return;
  const command = `skinsmith config set base-url ${baseUrl}`;
  if (!isAsked || !context.io.canPrompt || context.flags.quiet) {
    context.messages.say(`To use this service by default: ${command}`);
  } else if (await confirm('Use this service by default from now on?', context)) {
    await configFile.set('base-url', baseUrl);
    context.messages.say(
      'It is now the default. To go back to the embedded service: skinsmith config unset base-url',
    );
  } else context.messages.say(`To do this later: ${command}`);
}

/**
 * Checks that a service answers at the address before the user types a key.
 * @throws NetworkError, UnreadableAnswerError
 */
async function verifyService(baseUrl: string, context: CommandContext): Promise<void> {
  const client = await clientFor(baseUrl, undefined, context);
  try {
    await client.me({ signal: context.signal });
  } catch (error) {
    // A refusal of the caller shows that a service answers.
    if (!(error instanceof ServiceError) || error.isPassing || !isAboutKey(error)) throw error;
  } finally {
    await client.close();
  }
}

async function clientFor(
  baseUrl: string,
  key: string | undefined,
  context: CommandContext,
): Promise<SkinClient> {
  return makeClient(
    { baseUrl, apiKey: key, dispatcher: await context.proxied() },
    {
      settings: await context.settings(),
      insecureHttp: allowsInsecureHttp(context),
      waits: context.waits,
      onRequest: context.flags.verbose ? (report) => context.messages.request(report) : undefined,
    },
  );
}

async function readKey(from: KeyOrigin, baseUrl: string, context: CommandContext): Promise<string> {
  const key = (await readKeyText(from, baseUrl, context)).trim();
  if (/^[\x21-\x7e]{16,512}$/.test(key)) return key;
  throw usageError('not_a_key', 'That is not an API key: a key is one word of 16 to 512 characters.');
}

interface KeyOrigin {
  readonly from: string | undefined;
  readonly keyFile: string | undefined;
}

async function readKeyText(
  { from, keyFile }: KeyOrigin,
  baseUrl: string,
  context: CommandContext,
): Promise<string> {
  if (keyFile !== undefined && from !== undefined)
    throw usageError('two_keys', 'Give --key-file or -, not both.');
  if (keyFile !== undefined) return await readSecretFile(keyFile, 'key', context);
  if (from === '-') return await readStdinText(context);
  if (from !== undefined) {
    throw usageError(
      'key_on_command_line',
      'A key on the command line can be seen by others.',
      'Leave it out to be asked, or use --key-file FILE or - for stdin.',
    );
  }
  if (!context.io.canPrompt) {
    throw usageError(
      'cannot_ask',
      'Cannot ask for the key without a terminal.',
      'Use --key-file FILE, or - for stdin, or set SKINSMITH_API_KEY.',
    );
  }
  return await askSecret(`API key for ${baseUrl} (not shown)`, context);
}

/** A service may know no user of the key; one without this address says nothing about the key. */
function isAboutKey({ status, code }: ServiceError): boolean {
  return [401, 403, 404].includes(status) && code !== 'not_found';
}

/** Returns the service's name for the key's user. A key that the service does not know is not stored. */
async function verifyKey(baseUrl: string, key: string, context: CommandContext): Promise<string> {
  const client = await clientFor(baseUrl, key, context);
  try {
    const { user, name } = await client.me({ signal: context.signal });
    return name ?? user ?? 'a user without a name';
  } catch (error) {
    if (!(error instanceof ServiceError) || !isAboutKey(error)) throw error;
    throw new CliError('invalid_api_key', `${baseUrl} does not accept this key: ${error.message}`, {
      exit: 'notAllowed',
      hint: 'Nothing was stored. Check that the key is complete and belongs to this service.',
      cause: error,
    });
  } finally {
    await client.close();
  }
}

export const logout = {
  description: 'Remove the stored API key for a service.',
  examples: {
    'Remove the key for a hosted service': 'skinsmith logout --base-url https://api.mineskin.org',
    'Remove the key for another service': 'skinsmith logout --base-url https://skins.example.org',
  },
  output: [],
  run: runLogout,
} satisfies CommandModule;

async function runLogout(context: CommandContext): Promise<void> {
  const baseUrl = (await context.settings())['base-url'];
  if (baseUrl === undefined) {
    throw usageError(
      'no_service',
      'No service is set.',
      'Name the service: skinsmith logout --base-url https://…',
    );
  }
  const forgotten = await (await context.configFile()).forgetKey(baseUrl);
  context.messages.say(forgotten ? `Removed the key for ${baseUrl}.` : `No key is stored for ${baseUrl}.`);
  if (context.env['SKINSMITH_API_KEY']) await context.messages.warn('SKINSMITH_API_KEY is still set.');
}

/** Unfinished jobs, and generations in the current minute and hour. */
const SPENDING = {
  queue: 'unfinished jobs',
  minute: 'skins in the current minute',
  hour: 'skins in the current hour',
};

/** JSON output: the caller as the service identifies it, and the remaining limits. */
type WhoamiView = ReturnType<typeof whoamiView>;

const FIELDS: Fields<WhoamiView> = {
  uuid: 'UUID of the user',
  name: 'name of the user',
  plan: 'plan of the user',
  limits: {
    about: 'limits; absent if the service reports none',
    fields: {
      queue: 'unfinished jobs at once',
      perMinute: 'skins in a minute',
      perHour: 'skins in an hour',
    },
  },
  used: { about: 'the part of the limits that is used', fields: SPENDING },
  left: { about: 'the part of the limits that is left', fields: SPENDING },
  service: 'address of the service, or embedded',
};

const COLUMNS = {
  label: ([label]) => label,
  text: ([, text]) => text,
} satisfies Columns<readonly [label: string, text: string]>;

export const whoami = {
  description: 'Show your user, your plan and what is left of its limits.',
  examples: {
    'Show your plan and limits': 'skinsmith whoami',
    'Print them as JSON for a script': 'skinsmith whoami --json',
  },
  output: [
    {
      columns: COLUMNS,
      columnMeanings: {
        label: 'user, name, plan, queue, per minute, per hour or service',
        text: 'the value of that',
      },
      json: { shape: 'object', fields: FIELDS },
    },
  ],
  run: runWhoami,
} satisfies CommandModule;

export async function runWhoami(context: CommandContext): Promise<void> {
  const connection = await connectWithProgress(await context.settings(), context);
  const { client, isEmbedded } = connection;
  const me = await askWho(connection, context);
  const rateLimit = me.rateLimit ?? (await askLimits(client, context.signal));
  const jobs = await client.jobs({ signal: context.signal });
  const pending = jobs.filter(({ status }) => isPending(status)).length;
  const view = whoamiView(me, { rateLimit, pending }, isEmbedded ? EMBEDDED : client.baseUrl);
  const { io, flags } = context;
  if (flags.json) io.out.write(jsonDocument(view));
  else if (io.out.isTTY) io.out.write(whoamiText(view));
  else io.out.write(columnRows(COLUMNS, whoamiCells(view)));
}

/** @throws CliError for a caller without a key, whom the service cannot identify */
async function askWho({ client, hasKey }: Connection, context: CommandContext): Promise<Me> {
  try {
    return await client.me({ signal: context.signal });
  } catch (error) {
    if (hasKey || !(error instanceof ServiceError) || error.code !== 'user_not_found') throw error;
    throw new CliError(error.code, `${client.baseUrl} does not know who you are: no key was sent.`, {
      hint: signInHint(context),
      exit: 'notAllowed',
      cause: error,
    });
  }
}

/** Limits are optional: a service without GET /v2/delay still has a user to report. */
async function askLimits(client: SkinClient, signal: AbortSignal): Promise<RateLimit> {
  try {
    return await client.delay({ signal });
  } catch (error) {
    if (error instanceof ServiceError || error instanceof UnreadableAnswerError) return {};
    throw error;
  }
}

function whoamiView(
  { user, name, grants }: Me,
  { rateLimit: { limit }, pending }: { rateLimit: RateLimit; pending: number },
  service: string,
) {
  const minute = knownWindow(limit?.minute ?? limit);
  const hour = knownWindow(limit?.hour);
  const { queue, per_minute: perMinute = minute?.limit, per_hour: perHour = hour?.limit, plan } = grants;
  return {
    uuid: user,
    name,
    plan,
    limits: { queue, perMinute, perHour },
    used: { queue: pending, minute: minute?.used, hour: hour?.used },
    left: {
      queue: queue === undefined ? undefined : Math.max(0, queue - pending),
      minute: minute?.remaining,
      hour: hour?.remaining,
    },
    service,
  };
}

type Window = NonNullable<NonNullable<RateLimit['limit']>['minute']>;

/** Undefined when there is no such limit. The hosted service reports an hourly limit of 0, which means no limit. */
function knownWindow({ limit = 0, remaining }: Window = {}): Required<Omit<Window, 'reset'>> | undefined {
  if (limit <= 0 || remaining === undefined) return undefined;
  return { limit, remaining: Math.max(0, remaining), used: Math.max(0, limit - remaining) };
}

/** Without limits, it says nothing of what is used and left. */
type Shown = Omit<WhoamiView, 'limits'> & { readonly limits: Partial<WhoamiView['limits']> };

function whoamiCells({ uuid, name, plan, limits, used, left, service }: Shown): [string, string][] {
  const rows: [string, string | undefined][] = [
    ['user', uuid],
    ['name', name],
    ['plan', plan],
    ['queue', spent(used.queue, limits.queue, left.queue)],
    ['per minute', spent(used.minute, limits.perMinute, left.minute)],
    ['per hour', spent(used.hour, limits.perHour, left.hour)],
    ['service', service],
  ];
  return rows.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as [string, string]]));
}

function spent(used = 0, limit?: number, left?: number): string | undefined {
  if (limit === undefined) return undefined;
  return `${used} of ${limit}${left === undefined ? '' : `, ${left} left`}`;
}

/** The limits of an embedded service are too high to matter, so their figures would only puzzle people. */
function whoamiText(view: WhoamiView): string {
  const isEmbedded = view.service === EMBEDDED;
  const cells = whoamiCells(isEmbedded ? { ...view, limits: {} } : view);
  if (isEmbedded) cells.splice(-1, 0, ['limits', 'none in practice']);
  return cells.map(([label, value]) => `${label.padEnd(11)} ${clean(value)}\n`).join('');
}
