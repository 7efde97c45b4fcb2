import { expect } from 'vitest';
import { AnswerChecker } from '../contract/checked-answers.ts';
import { INDISCREET } from '../server/indiscreet.ts';
import type { RawHeard, RawRequest } from './raw-exchange.ts';

/** Allowed 5xx errors: another service is unreachable or takes too long. */
const FORGIVEN = new Set(['service_unavailable', 'generator_timeout', 'no_account_available']);

/** Checks an answer, whatever the request. */
export class Judge {
  /** Number of answers with each status. */
  readonly statuses: Record<number, number> = {};
  // Random requests find codes that docs/internals/compatibility.md does not list yet, which is not a fault of the service.
  readonly #checker = new AnswerChecker({ codes: process.env['RECORD_CODES'] !== undefined });
  readonly #dataDir: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** @throws AssertionError with the request */
  verify(asked: RawRequest, { status, headers, bytes }: RawHeard): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    const about = describe(asked);
    const text = bytes.toString('utf8');
    expect(text, about).not.toMatch(INDISCREET);
    expect(text, about).not.toContain(this.#dataDir);
    const { method, address } = asked;
    // A picture that stands in for one that cannot be had has no code.
    const isPicture = headers['content-type'] === 'image/png';
    const isOtherFormat = status === 501; // oEmbed has one
    if (status >= 500 && !isOtherFormat && method !== 'HEAD' && !isPicture)
      expect(FORGIVEN, `${about}: ${text}`).toContain(codeOf(text));
    if (headers['date'] === undefined) expect([400, 408, 413, 431], about).toContain(status);
    const known = headers['date'] === undefined ? UNREAD : { method, address };
    expect(this.#checker.faults({ ...known, status, headers, bytes }), about).toEqual([]);
  }
}

/** What cannot be read as HTTP is answered, without a date, before anyone knows what it is about. */
const UNREAD = { method: 'POST', address: '/nowhere' };

function codeOf(text: string): string | undefined {
  const body = JSON.parse(text || '{}') as { errors?: { code: string }[]; errorCode?: string };
  return body.errorCode ?? body.errors?.[0]?.code;
}

function describe({ method, address, headers, body }: RawRequest): string {
  const head = headers.map(([name, value]) => `${name}: ${value.slice(0, 100)}`).join(' | ');
  return `${method} ${address.slice(0, 300)} | ${head} | ${body.length} bytes: ${body.toString('latin1', 0, 200)}`;
}
