import { clean } from '../text/text.ts';
import type { Io } from './io.ts';

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
