import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { addAbortSignal } from 'node:stream';
import type { Command } from 'commander';
import { decodedText, endSentence } from '../../base/text.ts';
import { withoutFileScheme } from '../../batch/sources/files.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { clean } from '../text/text.ts';
import type { Io } from './io.ts';
import type { Messages } from './messages.ts';

/** Maximum number of bytes read from a file. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Reads a whole file, unless it is far too large for an image, or as much of a pipe: shells make one of `<(…)`. */
export async function readBounded(typed: string): Promise<Uint8Array> {
  const path = withoutFileScheme(typed);
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new CliError('not_a_file', `${path} is a folder.`);
    if (found.isFIFO()) return await collect(createReadStream(path), path);
    if (!found.isFile()) throw new CliError('not_a_file', `${path} is not a regular file.`);
    if (found.size <= MAX_FILE_BYTES) return await readFile(path);
    throw new CliError('invalid_image', `${path} has ${found.size} bytes; a skin has at most 20,000.`);
  } catch (error) {
    throw fileTrouble(path, error) ?? error;
  }
}

/** Reads the text of a file that holds a secret, or of stdin (`-`); `what` describes the file in messages. */
export async function readSecretFile(path: string, what: string, input: Partial<Input>): Promise<string> {
  const { io, signal } = input;
  if (path === '-' && io && signal) return await readStdinText({ io, signal });
  try {
    return decodedText(await readBounded(path));
  } catch (cause) {
    throw new CliError('no_such_file', `The ${what} file ${path} cannot be read.`, { exit: 'usage', cause });
  }
}

/** Wraps errors that affect only this file, so that the next file is still tried. */
function fileTrouble(path: string, cause: unknown): CliError | undefined {
  const { code = '' } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') {
    return new CliError('no_such_file', `No file ${endSentence(path)}`, { cause });
  }
  if (code === 'ELOOP') return new CliError('not_a_file', `${path} is a symbolic link loop.`, { cause });
  if (code === 'EACCES') return new CliError('eacces', `${path}: Permission denied.`, { cause });
  return undefined;
}

interface Input {
  readonly io: Pick<Io, 'stdin'>;
  readonly signal: AbortSignal;
}

/** Stdin until the run is stopped, because a terminal may never send anything. Reading it then throws an AbortError. */
export function openStdin({ io, signal }: Input): AsyncIterable<Buffer> {
  return addAbortSignal(signal, io.stdin);
}

/** Stdin as text. @throws CliError if it is empty */
export async function readStdinText(input: Input): Promise<string> {
  const bytes = await collect(openStdin(input), 'stdin');
  if (bytes.length === 0) throw usageError('empty_input', 'Stdin is empty.');
  return decodedText(bytes);
}

async function collect(stream: AsyncIterable<Buffer>, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_FILE_BYTES)
      throw new CliError('invalid_image', `The data from ${name} is too large for a skin.`);
  }
  return Buffer.concat(chunks);
}

/**
 * Asks for confirmation; any answer other than yes means no. Without a terminal, the user must pass `--yes`.
 * @throws CliError `cannot_ask`; the signal's reason when interrupted
 */
export async function confirm(
  question: string,
  { io, signal }: { readonly io: Io; readonly signal: AbortSignal },
): Promise<boolean> {
  if (!io.canPrompt) {
    throw usageError(
      'cannot_ask',
      'This needs confirmation, but there is no terminal to ask.',
      'To confirm, add: --yes',
    );
  }
  io.err.write(`${clean(question)} [y/N] `);
  const lines = createInterface({ input: io.stdin, signal });
  try {
    for await (const line of lines) return /^(?:y|yes)$/i.test(line.trim());
  } finally {
    lines.close();
  }
  signal.throwIfAborted();
  return false;
}

export interface TypedYes {
  readonly yes?: boolean;
}

/** Adds the option that answers such a question. */
export function addYesOption(command: Command): Command {
  return command.option('-y, --yes', 'do not ask for confirmation');
}

/** Whether the user agrees, or has typed `--yes`. If not, says that nothing was `done`. @throws as `confirm` does */
export async function agrees(
  question: string,
  { yes, done }: { readonly yes: boolean | undefined; readonly done: string },
  context: { readonly io: Io; readonly signal: AbortSignal; readonly messages: Pick<Messages, 'say'> },
): Promise<boolean> {
  if (yes || (await confirm(question, context))) return true;
  context.messages.say(`Nothing was ${done}.`);
  return false;
}

/** The bytes that keys send when the terminal is in raw mode. */
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const ERASERS = new Set(['\u007f', '\b']);
const ENDS = new Set(['\r', '\n']);
/** Escape sequences of arrow keys and bracketed paste. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches escape sequences.
const SEQUENCES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O[A-Z])/g;
/** Maximum length in characters; longer input is a file pasted by mistake. */
const LONGEST = 4_096;

interface RawInput {
  setRawMode?(isRaw: boolean): unknown;
}

/**
 * Prompts for a secret without echoing it. Ctrl-C, and Ctrl-D on an empty line, interrupt the prompt.
 * @throws AbortError when interrupted; the signal's reason
 */
export async function askSecret(
  question: string,
  { io, signal }: { readonly io: Io; readonly signal: AbortSignal },
): Promise<string> {
  const { stdin } = io;
  const terminal = stdin as RawInput;
  signal.throwIfAborted();
  io.err.write(`${clean(question)}: `);
  terminal.setRawMode?.(true);
  try {
    return await readLine(stdin, signal);
  } finally {
    terminal.setRawMode?.(false);
    stdin.pause();
    io.err.write('\n');
  }
}

async function readLine(stdin: Io['stdin'], signal: AbortSignal): Promise<string> {
  let typed = '';
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const interrupt = () => reject(signal.reason ?? new DOMException('Interrupted.', 'AbortError'));
  const onData = (chunk: Buffer | string) => {
    for (const key of String(chunk).replace(SEQUENCES, '')) {
      if (key === CTRL_C || (key === CTRL_D && typed === '')) return interrupt();
      if (ENDS.has(key)) return resolve(typed);
      typed = edited(typed, key);
    }
  };
  stdin.on('data', onData);
  stdin.on('end', interrupt);
  signal.addEventListener('abort', interrupt);
  try {
    return await promise;
  } finally {
    stdin.off('data', onData);
    stdin.off('end', interrupt);
    signal.removeEventListener('abort', interrupt);
  }
}

function edited(typed: string, key: string): string {
  if (ERASERS.has(key)) return typed.slice(0, -1);
  if (key === CTRL_U) return '';
  return key < ' ' || typed.length >= LONGEST ? typed : typed + key;
}
