import type { Command } from 'commander';
import { ServiceError, type SkinClient } from '../../index.ts';
import { allowsInsecureHttp, makeClient } from '../connection/connect.ts';
import type { Deps } from '../context/context.ts';
import type { Runner } from '../context/runner.ts';
import { CliError, exitStatus } from '../errors/exit.ts';
import type { Examples } from '../help/examples.ts';
import { usageError } from '../outcomes.ts';
import { askSecret } from '../terminal/ask-secret.ts';
import { confirm } from '../terminal/confirm.ts';
import { readSecretFile, readStdin } from '../terminal/read-input.ts';

export interface LoginOptions {
  /** `-`: read the key from stdin. */
  readonly from?: string;
  readonly keyFile?: string;
}

export const examples: Examples = [
  [
    'Store the key for a hosted service',
    'skinsmith login --base-url https://api.mineskin.org --key-file mineskin.key',
  ],
  [
    'Read the key from another program',
    'cat team.key | skinsmith login - --base-url https://skins.example.org',
  ],
];

export function register(command: Command, runner: Runner, run = runLogin): void {
  command
    .description(
      'Store an API key for a service.\n' +
        'Checks the key with the service (see --base-url) before storing it. The key is read from the ' +
        'terminal without echo, from a file, or from stdin; it is only ever sent to the service it was ' +
        'stored for.',
    )
    .argument('[-]', 'read the key from stdin')
    .option('--key-file <file>', 'read the key from this file')
    .action(
      async (from: string | undefined, typed: Omit<LoginOptions, 'from'>) =>
        await runner(async (deps) => await run({ ...typed, ...(from !== undefined && { from }) }, deps)),
    );
}

export async function runLogin(options: LoginOptions, deps: Deps): Promise<number> {
  const settings = await deps.settings();
  const baseUrl = deps.flags.local ? undefined : settings['base-url'];
  if (baseUrl === undefined) {
    throw usageError(
      'no_service',
      'The embedded service needs no key.',
      'Name the service the key is for: skinsmith login --base-url https://…',
    );
  }
  const isAsked = options.from === undefined && options.keyFile === undefined;
  if (isAsked && deps.io.canPrompt) await verifyService(baseUrl, deps);
  const key = await readKey(options, baseUrl, deps);
  const name = await verifyKey(baseUrl, key, deps);
  await deps.configFile.keepKey(baseUrl, key);
  deps.talk.say(
    `Signed in to ${baseUrl} as ${name}; the key (…${key.slice(-4)}) is kept in ${deps.configFile.path}`,
  );
  await offerDefault(baseUrl, isAsked, deps);
  return exitStatus('done');
}

/** Prompts for the key on a terminal; tells a script how to pass it. */
async function offerDefault(baseUrl: string, isAsked: boolean, deps: Deps): Promise<void> {
  if ((await deps.configFile.settings())['base-url'] === baseUrl) return;
  const command = `skinsmith config set base-url ${baseUrl}`;
  if (!isAsked || !deps.io.canPrompt || deps.flags.quiet) {
    deps.talk.say(`To use this service by default: ${command}`);
  } else if (await confirm('Use this service by default from now on?', deps)) {
    await deps.configFile.set('base-url', baseUrl);
    deps.talk.say('It is the default now; to go back to the embedded one: skinsmith config unset base-url');
  } else deps.talk.say(`To do so later: ${command}`);
}

/**
 * Checks that a service answers at the address before the user types a key.
 * @throws NetworkError, UnreadableAnswerError
 */
async function verifyService(baseUrl: string, deps: Deps): Promise<void> {
  const client = await clientFor(baseUrl, undefined, deps);
  try {
    await client.me({ signal: deps.signal });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.isPassing) throw error; // a refusal shows that a service answers
  } finally {
    await client.close();
  }
}

async function clientFor(baseUrl: string, key: string | undefined, deps: Deps): Promise<SkinClient> {
  return makeClient(baseUrl, key, {
    settings: await deps.settings(),
    insecureHttp: allowsInsecureHttp(deps),
    waits: deps.waits,
    onRequest: deps.flags.verbose ? (report) => deps.talk.request(report) : undefined,
  });
}

async function readKey({ from, keyFile }: LoginOptions, baseUrl: string, deps: Deps): Promise<string> {
  const key = (await readKeyText({ from, keyFile }, baseUrl, deps)).trim();
  if (/^[\x21-\x7e]{16,512}$/.test(key)) return key;
  throw usageError('not_a_key', 'That is not an API key: one word of 16 to 512 characters.');
}

async function readKeyText(
  { from, keyFile }: { from: string | undefined; keyFile: string | undefined },
  baseUrl: string,
  deps: Deps,
): Promise<string> {
  if (keyFile !== undefined && from !== undefined)
    throw usageError('two_keys', 'Give --key-file or -, not both.');
  if (keyFile !== undefined) return await readSecretFile(keyFile, 'key');
  if (from === '-') return Buffer.from(await readStdin(deps.io)).toString('utf8');
  if (from !== undefined) {
    throw usageError(
      'key_on_command_line',
      'A key on the command line can be seen by others.',
      'Leave it out to be asked, or use --key-file FILE or - for stdin.',
    );
  }
  if (!deps.io.canPrompt) {
    throw usageError(
      'cannot_ask',
      'There is no terminal to ask for the key.',
      'Use --key-file FILE, or - for stdin, or set SKINSMITH_API_KEY.',
    );
  }
  return await askSecret(`API key for ${baseUrl} (not shown)`, deps);
}

/** Returns the service's name for the key's user. A key that the service does not know is not stored. */
async function verifyKey(baseUrl: string, key: string, deps: Deps): Promise<string> {
  const client = await clientFor(baseUrl, key, deps);
  try {
    const { user, name } = await client.me({ signal: deps.signal });
    return name ?? user ?? 'a user without a name';
  } catch (error) {
    if (!(error instanceof ServiceError) || ![401, 403, 404].includes(error.status)) throw error;
    throw new CliError('invalid_api_key', `${baseUrl} does not accept this key: ${error.message}`, {
      exit: 'notAllowed',
      hint: 'Nothing was stored. See that the key is whole and belongs to this service.',
      cause: error,
    });
  } finally {
    await client.close();
  }
}
