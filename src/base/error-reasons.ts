/** What errors of the operating system and the network mean, by Node's code, each as part of a sentence. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EFBIG: 'the file would exceed the maximum size',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'part of the path is not a folder',
  EEXIST: 'something with this name already exists',
  ENOENT: 'the file or folder does not exist',
  EISDIR: 'it is a folder',
  ELOOP: 'it is part of a symbolic link loop',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the disk or device reported an error',
  EBUSY: 'another program is using it',
  ESTALE: 'the network file system has lost it',
  EDQUOT: 'the disk quota is used up',
  EADDRINUSE: 'another program is already listening there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name lookup failed temporarily',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: 'the connection timed out',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'the request timed out',
  UND_ERR_BODY_TIMEOUT: 'the answer stalled',
  UND_ERR_CLOSED: 'the client is closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer broke off',
  ERR_STREAM_PREMATURE_CLOSE: 'the answer broke off',
  TimeoutError: 'the request timed out',
  HTTPParserError: 'the answer is not HTTP',
};

/** For an error that the operating system names by this code; undefined for an unknown one. */
export function reasonOf(code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
}

/**
 * The words that undici and we use for it, such as for a 100 Continue, which only a request that announces its body may
 * get.
 */
const BAD_RESPONSE = ': bad response';
const UNASKED = 'an answer came that belongs to no request, such as 100 Continue';

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_/;
const TLS = /^ERR_(?:SSL|OSSL)_|^EPROTO$/;
/** What OpenSSL says of the first bytes of an HTTP answer. */
const PLAIN_HTTP: ReadonlySet<string> = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
]);

/** The code by which Node or undici names a network error, such as `ECONNREFUSED`; else the error's name. */
export function networkCode(error: unknown): string {
  return codeOf(error) ?? String((error as { name?: unknown } | undefined)?.name);
}

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** The code of our own error for a proxy without an address that can be used. */
export const NO_PROXY_ADDRESS = 'NO_PROXY_ADDRESS';
/** How undici's ProxyAgent says that a proxy answered, but led nowhere. */
const PROXY_REFUSALS: ReadonlySet<string> = new Set([
  NO_PROXY_ADDRESS,
  'UND_ERR_ABORTED',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_PRX_TLS',
  'UND_ERR_PRX_CONN',
]);
/** The code of an error before which nothing was sent beyond the proxy. */
export const PROXY_REFUSED = 'PROXY_REFUSED';

/** No answer came through a proxy. Its code is that of the cause, or `PROXY_REFUSED`. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: string;
  /** The proxy, for messages. */
  readonly proxy: string;

  constructor(proxy: string, cause: unknown) {
    const code = networkCode(cause);
    const isRefusal = PROXY_REFUSALS.has(code);
    const reason = isRefusal ? (cause as Error).message : networkReason(cause);
    super(`${reason} (through ${proxy})`, { cause });
    this.code = isRefusal ? PROXY_REFUSED : code;
    this.proxy = proxy;
  }
}

/** Whether the connection failed because the other side's certificate is not accepted. */
export function isAboutCertificate(error: unknown): boolean {
  return CERTIFICATE.test(networkCode(error));
}

/** Whether an https address led to a server that speaks http. */
export function isPlainHttp(error: unknown): boolean {
  return PLAIN_HTTP.has(networkCode(error));
}

/**
 * Why a request had no answer, as part of a sentence: `connection refused`; for an unknown network error, its code. An
 * error without a code does not come from the network, so its own message is given.
 */
export function networkReason(error: unknown): string {
  if (error instanceof ProxyError) return error.message;
  const code = networkCode(error);
  if (isAboutCertificate(error)) return `the certificate is not accepted (${code})`;
  if (TLS.test(code)) return `there is no TLS connection (${code})`;
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  if (code === 'UND_ERR_SOCKET' && toldBy(error, code).endsWith(BAD_RESPONSE)) return UNASKED;
  return REASONS[code] ?? (code === codeOf(error) ? code : toldBy(error, code));
}

function toldBy(error: unknown, name: string): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' && message !== '' ? `${name}: ${message}` : name;
}
