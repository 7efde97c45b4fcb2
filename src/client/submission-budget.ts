import type { LimitWindow } from './rate-limits.ts';

/** A submission that counts against the budget. Times: milliseconds of a monotonic clock. */
export interface CountedSubmission {
  readonly at: number;
  /** When its answer arrived; undefined while it is in flight. */
  answeredAt: number | undefined;
}

/** What is known about one window. */
interface Account {
  readonly limit: number;
  readonly span: number;
  readonly endsAt: number | undefined;
  /** How many submissions may still be sent. */
  readonly left: number;
}

/** Milliseconds of tolerance, since two clocks never agree exactly. */
const MARGIN = 20;

/**
 * How many submissions the service's windows still allow. The `remaining` of an answer does not count the
 * submissions that were in flight with it, so those are subtracted.
 */
export class SubmissionBudget {
  #accounts: readonly Account[] = [];
  /** Send time of the submission whose answer these numbers are from. */
  #basis = Number.NEGATIVE_INFINITY;
  #sent: readonly CountedSubmission[] = [];

  sent(now: number): CountedSubmission {
    const sent: CountedSubmission = { at: now, answeredAt: undefined };
    this.#sent = [...this.#sent, sent];
    this.#accounts = this.#accounts.map((account) => ({ ...account, left: account.left - 1 }));
    return sent;
  }

  /** Takes back a submission that was never sent. */
  withdrawn(sent: CountedSubmission): void {
    this.#sent = this.#sent.filter((one) => one !== sent);
    this.#accounts = this.#accounts.map((account) => ({ ...account, left: account.left + 1 }));
  }

  /** Records that the submission was answered, whatever the answer. */
  answered(sent: CountedSubmission, now: number): void {
    sent.answeredAt = now;
    const oldest = Math.min(...this.#sent.filter(isUnderway).map(({ at }) => at));
    this.#sent = this.#sent.filter((one) => one.answeredAt === undefined || one.answeredAt >= oldest);
  }

  /** Records the windows named in the answer to a submission. Call before `answered`. */
  told(windows: readonly LimitWindow[], { sent, now }: { sent: CountedSubmission; now: number }): void {
    if (windows.length === 0 || sent.at < this.#basis) return;
    this.#basis = sent.at;
    const uncounted = this.#sent.filter((one) => one !== sent && mayFollow(one, sent)).length;
    this.#accounts = windows.map(({ limit, span, remaining, endsIn }) => ({
      limit,
      span,
      endsAt: endsIn === undefined ? undefined : now + endsIn + MARGIN,
      left: remaining - uncounted,
    }));
  }

  /** Submissions that may be sent now; Infinity if no limit is known. */
  left(now: number): number {
    this.#renew(now);
    const [first] = this.#accounts;
    if (!first) return Number.POSITIVE_INFINITY;
    const left = Math.min(...this.#accounts.map((account) => account.left));
    const isStuck = left <= 0 && this.openAt(now) === undefined;
    // The end of the window is unknown and only an answer tells it, so send one at a time.
    return isStuck ? Number(!this.#sent.some(isUnderway)) : Math.max(0, left);
  }

  /** When so many more submissions can have been sent, at the earliest. */
  reach(count: number, now: number): number {
    this.#renew(now);
    const moments = this.#accounts.map(({ left, limit, span, endsAt = now + span }) => {
      const windows = Math.ceil((count - Math.max(0, left)) / limit);
      return windows <= 0 ? now : endsAt + (windows - 1) * span;
    });
    return Math.max(now, ...moments);
  }

  /** When an exhausted window ends; undefined if none is exhausted or its end is unknown. */
  openAt(now: number): number | undefined {
    this.#renew(now);
    const ends = this.#accounts.filter(({ left }) => left <= 0).map(({ endsAt }) => endsAt);
    const known = ends.filter((end) => end !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  }

  #renew(now: number): void {
    const underway = this.#sent.filter(isUnderway).length;
    this.#accounts = this.#accounts.map((account) => {
      const { endsAt, limit, span } = account;
      if (endsAt === undefined || endsAt > now) return account;
      const missed = Math.floor((now - endsAt) / span) + 1;
      return { ...account, left: limit - underway, endsAt: endsAt + missed * span };
    });
  }
}

function isUnderway({ answeredAt }: CountedSubmission): boolean {
  return answeredAt === undefined;
}

/** Whether the service may have processed `one` after it answered `other`. */
function mayFollow(one: CountedSubmission, other: CountedSubmission): boolean {
  return one.answeredAt === undefined || one.answeredAt >= other.at;
}
