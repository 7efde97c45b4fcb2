import type { ErrorReport } from './report.ts';

/** What the errors of the operating system mean, by Node's code. */
const MEANINGS: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full.',
  EFBIG: 'The file would exceed the maximum size.',
  EACCES: 'Permission denied.',
  EPERM: 'Not permitted.',
  EROFS: 'The file system is read-only.',
  ENOTDIR: 'A part of the path is not a folder.',
  EEXIST: 'Something with this name already exists.',
  ENOENT: 'There is no such file or folder.',
  EISDIR: 'It is a folder.',
  ELOOP: 'It is a symbolic link loop.',
  EMFILE: 'Too many files are open.',
  ENAMETOOLONG: 'The name is too long.',
  ENFILE: 'Too many files are open on this machine.',
  EIO: 'The disk or device reports an error.',
  EBUSY: 'Another program uses it.',
  ESTALE: 'The network file system has lost it.',
  EDQUOT: 'The disk quota is used up.',
  ENOTFOUND: 'There is no such host.',
  EAI_AGAIN: 'The host name could not be looked up.',
  EADDRINUSE: 'Another program already listens there.',
  EADDRNOTAVAIL: 'This machine has no such address.',
};

const HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'skinsmith may already be running there. To listen on another port: --port <number>',
};

/** Below this, systems let only some users listen. */
const FIRST_FREE_PORT = 1_024;

function listenHint(port: number): string {
  const why = port < FIRST_FREE_PORT ? 'Ports below 1024 are usually reserved for root. ' : '';
  return `${why}To listen on another port, behind a reverse proxy for example: --port <number>`;
}

/** A sentence that continues "… cannot be used: "; undefined for an unknown code. */
export function meaningOf(code: string | undefined): string | undefined {
  const meaning = code === undefined ? undefined : MEANINGS[code];
  return meaning && `${meaning[0]?.toLowerCase()}${meaning.slice(1)}`;
}

/** Describes an error of the operating system; undefined for any other. */
export function systemReport(error: unknown): ErrorReport | undefined {
  const { code, syscall, path, hostname, address, port } = (error ?? {}) as NodeJS.ErrnoException & {
    hostname?: string;
    address?: string;
    port?: number;
  };
  const meaning = code === undefined ? undefined : (MEANINGS[code] ?? ownWords(error));
  if (meaning === undefined || code === undefined) return undefined;
  const listening = address === undefined || port === undefined ? address : `${address}:${port}`;
  const place = path ?? hostname ?? listening;
  const message = place ? `${place}: ${meaning}` : meaning;
  const isRefused = code === 'EACCES' && syscall === 'listen' && port !== undefined;
  const hint = isRefused ? listenHint(port) : HINTS[code];
  return { code: code.toLowerCase(), message, hint, exit: 'failed' };
}

/** What the system itself says of a rare error: `Broken pipe.` for Node's `EPIPE: broken pipe, write`. */
function ownWords(error: unknown): string | undefined {
  const { errno, syscall, message } = error as NodeJS.ErrnoException;
  if (errno === undefined || syscall === undefined) return undefined;
  const [, words = ''] = /^[A-Z][A-Z0-9]*: ([^,]+),/.exec(message) ?? [];
  return words === '' ? undefined : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
