import type { Command } from 'commander';
import { ServiceError } from '../../index.ts';
import { makeClient } from '../connect.ts';
import type { Deps } from '../deps.ts';
import { CliError, exitStatus } from '../exit.ts';
import { usageError } from '../outcomes.ts';
import { readSecretFile, readStdin } from '../read-input.ts';
import type { Runner } from '../runner.ts';

export interface LoginOptions {
  /** `-`: the key comes on stdin. */
  readonly from?: string;
  readonly keyFile?: string;
}

export function register(command: Command, runner: Runner, run = runLogin): void {
  command
    .description(
      'Stores an API key for the service that is set (base-url), after asking the service whether it is valid. ' +
        'The key is asked for without echo, read from a file, or from stdin.',
    )
    .argument('[-]', 'read the key from stdin')
    .option('--key-file <file>', 'read the key from a file')
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
  const key = await readKey(options, baseUrl, deps);
  const name = await verifyKey(baseUrl, key, deps);
  await deps.configFile.keepKey(baseUrl, key);
  deps.talk.say(
    `Signed in to ${baseUrl} as ${name}; the key (…${key.slice(-4)}) is kept in ${deps.configFile.path}`,
  );
  const isDefault = (await deps.configFile.settings())['base-url'] === baseUrl;
  if (!isDefault) deps.talk.say(`To use this service by default: skinsmith config set base-url ${baseUrl}`);
  return exitStatus('done');
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
  const { default: password } = await import('@inquirer/password');
  return await password(
    { message: `API key for ${baseUrl}` },
    { output: process.stderr, signal: deps.signal },
  );
}

/** What the service calls the key's user. A key it does not know is not stored. */
async function verifyKey(baseUrl: string, key: string, deps: Deps): Promise<string> {
  const client = makeClient(baseUrl, key, {
    settings: await deps.settings(),
    onRequest: deps.flags.verbose ? (report) => deps.talk.request(report) : undefined,
  });
  try {
    const { user, name } = await client.me({ signal: deps.signal });
    return name ?? user;
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
