import type { z } from 'zod';
import type { RequestContent } from '../client/transport.ts';
import type { ErrorCode } from '../protocol/errors.ts';

/** A request as it was sent. */
export interface SentRequest {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  /** `own`: the caller's, which is not repeated. Another one is made up. */
  readonly key: 'own' | 'none' | { readonly text: string };
  readonly content?: RequestContent | undefined;
}

/** An answer, read to its end. */
export interface Answer {
  /** Method and path, without the query. */
  readonly request: string;
  readonly sent: SentRequest;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined: the body is not JSON. */
  readonly json: unknown;
  readonly text: string;
}

/** `absent`: the server does not offer it; `untried`: nothing can be said, and the reason why. */
export type Verdict = 'pass' | 'differs' | 'absent' | 'untried';

/** How an answer differs. */
export interface Difference {
  readonly expected?: string | undefined;
  readonly seen?: string | undefined;
  /** The request, as a command line of curl. */
  readonly sent?: string | undefined;
}

/** Any verdict other than that all is well. */
export class Finding extends Error {
  override readonly name = 'Finding';
  readonly verdict: Exclude<Verdict, 'pass'>;
  readonly difference: Difference;

  constructor(verdict: Exclude<Verdict, 'pass'>, message: string, difference: Difference = {}) {
    super(message);
    this.verdict = verdict;
    this.difference = difference;
  }
}

/** Text of a server that a report repeats, in characters. */
const MAX_SEEN = 200;

/** What a finding is about: an answer, or a request that has none. */
export type Asked = Pick<Answer, 'request'> & Partial<Pick<Answer, 'sent'>>;

export function differs({ request, sent }: Asked, expected: string, seen: string): Finding {
  const short = seen.length > MAX_SEEN ? `${seen.slice(0, MAX_SEEN)}…` : seen;
  return new Finding('differs', `${request}: expected ${expected}, but saw ${short}`, {
    expected: `${request}: ${expected}`,
    seen: short,
    ...(sent && { sent: curlOf(sent) }),
  });
}

/** A longer file is not repeated. */
const LONGEST_FILE = 2_000;

/** The same request for a shell. The key is the one in its variable. */
function curlOf({ method, url, key, content }: SentRequest): string {
  const bearer = typeof key === 'string' ? '$SKINSMITH_API_KEY' : key.text;
  const parts = ['curl', '-X', method, quoted(url)];
  if (key !== 'none') parts.push('-H', `"Authorization: Bearer ${bearer}"`);
  if (!content) return parts.join(' ');
  if ('json' in content)
    parts.push('-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(content.json)));
  else if ('text' in content)
    parts.push('-H', quoted(`Content-Type: ${content.type}`), '-d', quoted(content.text));
  else {
    const { fields, file } = content;
    for (const [name, value] of Object.entries(fields))
      parts.push('--form-string', quoted(`${name}=${value}`));
    if (file && file.bytes.length > LONGEST_FILE) parts.push('-F', quoted('file=@skin.png;type=image/png'));
    else if (file) {
      const base64 = Buffer.from(file.bytes).toString('base64');
      return `base64 -d <<<${base64} | ${parts.join(' ')} -F ${quoted(`file=@-;filename=${file.fileName};type=image/png`)}`;
    }
  }
  return parts.join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function notTried(reason: string): Finding {
  return new Finding('untried', reason);
}

/** @throws Finding unless it holds */
export function expect(asked: Asked, holds: boolean, expected: string, seen: unknown): void {
  if (!holds) throw differs(asked, expected, typeof seen === 'string' ? seen : String(JSON.stringify(seen)));
}

/** Refusals that say nothing about the interface: the caller or the moment is wrong. */
const CIRCUMSTANCES: ReadonlySet<string> = new Set<ErrorCode>([
  'rate_limit',
  'concurrency_limit',
  'insufficient_grants',
  'unauthorized',
  'anonymous_limit',
  'generator_timeout',
  'no_account_available',
  'service_unavailable',
  'store_full',
  'store_unreachable',
]);
const CIRCUMSTANCE_STATUSES = [502, 503, 504];

/** The first error code of a refusal, of version 2 or 1. */
export function codeOf({ json }: Answer): string | undefined {
  const { errors, errorCode } = (json ?? {}) as {
    errors?: readonly { code?: unknown }[];
    errorCode?: unknown;
  };
  const code = Array.isArray(errors) ? errors[0]?.code : errorCode;
  return typeof code === 'string' ? code : undefined;
}

/** Whether the server has nothing at the address, and not only nothing by that id. */
function isMissing(answer: Answer): boolean {
  const code = codeOf(answer);
  return (
    [404, 405, 501].includes(answer.status) && (code === undefined || /^(?:image_)?not_found$/.test(code))
  );
}

/** @throws Finding unless the answer has this status */
export function expectStatus(answer: Answer, ...statuses: readonly number[]): void {
  const { request, status } = answer;
  if (statuses.includes(status)) return;
  const code = codeOf(answer);
  if (isMissing(answer)) throw new Finding('absent', `${request}: nothing there (${described(answer)})`);
  if (CIRCUMSTANCES.has(code ?? '') || CIRCUMSTANCE_STATUSES.includes(status))
    throw notTried(`${request} was refused: ${described(answer)}`);
  throw differs(answer, `status ${statuses.join(' or ')}`, described(answer));
}

/** The content of an answer with this status and shape. @throws Finding */
export function contentOf<S extends z.ZodType>(answer: Answer, schema: S, status = 200): z.output<S> {
  expectStatus(answer, status);
  return shaped(answer, schema);
}

/** The same, whatever the status. @throws Finding */
export function shaped<S extends z.ZodType>(answer: Answer, schema: S): z.output<S> {
  const { json } = answer;
  if (json === undefined) throw differs(answer, 'JSON', described(answer));
  const { data, error } = schema.safeParse(json);
  if (!error) return data as z.output<S>;
  const issues = error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw differs(answer, `the published shape (${issues.join('; ')})`, described(answer));
}

/** An answer that refuses, with one of these codes. @throws Finding */
export function expectRefusal(
  answer: Answer,
  statuses: readonly number[],
  ...codes: readonly ErrorCode[]
): void {
  const { status } = answer;
  const code = codeOf(answer);
  if (statuses.includes(status) && codes.some((one) => one === code)) return;
  if (!codes.some((one) => CIRCUMSTANCES.has(one) || one === 'not_found')) expectStatus(answer, ...statuses);
  throw differs(answer, `${statuses.join(' or ')} with the code ${codes.join(' or ')}`, described(answer));
}

/** Status and content of an answer, for a report. */
export function described(answer: Answer): string {
  const { status, text } = answer;
  const code = codeOf(answer);
  if (code !== undefined) return `${status} ${code}`;
  const type = String(answer.headers['content-type'] ?? 'no content type');
  return answer.json === undefined ? `${status} with ${type}` : `${status} ${text.slice(0, MAX_SEEN)}`;
}
