import { ServiceError, type SkinClient } from '../../index.ts';
import { allowsInsecureHttp, makeClient } from '../connection/connect.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { CliError, exitStatus, usageError } from '../errors/exit.ts';
import { askSecret, confirm, readSecretFile, readStdinText } from '../terminal/read-input.ts';

export interface LoginOptions {
  readonly keyFile?: string;
}

export const login = {
  description:
    'Store an API key for a service.\n' +
    'Checks the key with the service (see --base-url) before storing it. The key is read from the ' +
    'terminal without echo, from a file, or from stdin; it is only ever sent to the service it was ' +
    'stored for.',
  examples: [
    [
      'Store the key for a hosted service',
      'skinsmith login --base-url https://api.mineskin.org --key-file mineskin.key',
    ],
    [
      'Read the key from another program',
      'cat team.key | skinsmith login - --base-url https://skins.example.org',
    ],
  ],
  output: [],
  declare(command) {
    command
      .argument('[-]', 'read the key from stdin')
      .option('--key-file <file>', 'read the key from this file, - for stdin');
  },
  run: runLogin,
} satisfies CommandModule;

/** `from`: `-` to read the key from stdin. */
export async function runLogin(
  from: string | undefined,
  { keyFile }: LoginOptions,
  context: CommandContext,
): Promise<number> {
  const settings = await context.settings();
  const baseUrl = context.flags.local ? undefined : settings['base-url'];
  if (baseUrl === undefined) {
    throw usageError(
      'no_service',
      'The embedded service needs no key.',
      'Name the service the key is for: skinsmith login --base-url https://…',
    );
  }
  const isAsked = from === undefined && keyFile === undefined;
  if (isAsked && context.io.canPrompt) await verifyService(baseUrl, context);
  const key = await readKey({ from, keyFile }, baseUrl, context);
  const name = await verifyKey(baseUrl, key, context);
  await context.configFile.keepKey(baseUrl, key);
  context.messages.say(
    `Signed in to ${baseUrl} as ${name}; the key (…${key.slice(-4)}) is stored in ${context.configFile.path}`,
  );
  if (context.env['SKINSMITH_API_KEY']?.trim())
    await context.messages.warn('SKINSMITH_API_KEY is set and is used instead of the stored key.');
  await offerDefault(baseUrl, isAsked, context);
  return exitStatus('done');
}

/** Asks on a terminal whether to use the service by default; tells a script how to do so. */
async function offerDefault(baseUrl: string, isAsked: boolean, context: CommandContext): Promise<void> {
  if ((await context.configFile.settings())['base-url'] === baseUrl) return;
  const command = `skinsmith config set base-url ${baseUrl}`;
  if (!isAsked || !context.io.canPrompt || context.flags.quiet) {
    context.messages.say(`To use this service by default: ${command}`);
  } else if (await confirm('Use this service by default from now on?', context)) {
    await context.configFile.set('base-url', baseUrl);
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
  examples: [
    ['Remove the key for a hosted service', 'skinsmith logout --base-url https://api.mineskin.org'],
    ['Remove the key for another service', 'skinsmith logout --base-url https://skins.example.org'],
  ],
  output: [],

  run: runLogout,
} satisfies CommandModule;

export async function runLogout(context: CommandContext): Promise<number> {
  const baseUrl = (await context.settings())['base-url'];
  if (baseUrl === undefined) {
    throw usageError(
      'no_service',
      'No service is set.',
      'Name the service: skinsmith logout --base-url https://…',
    );
  }
  const forgotten = await context.configFile.forgetKey(baseUrl);
  context.messages.say(forgotten ? `Removed the key for ${baseUrl}.` : `No key is stored for ${baseUrl}.`);
  if (context.env['SKINSMITH_API_KEY']) await context.messages.warn('SKINSMITH_API_KEY is still set.');
  return exitStatus('done');
}
