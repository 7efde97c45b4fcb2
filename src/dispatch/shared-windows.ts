import type { DatabaseSync } from 'node:sqlite';
import type { LimitWindow } from '../client/rate-limits.ts';

/** Milliseconds by which two processes may differ about the end of the same window. */
const SAME_END = 2_000;

interface Row {
  readonly span: number;
  readonly allowed: number;
  readonly left: number;
  readonly endsAt: number;
}

export interface WindowState {
  /** Milliseconds since the epoch, by this machine's clock. */
  readonly now: number;
  /** Submissions of all processes that are not answered yet, except the one in question. */
  readonly inFlight: number;
  /** Whether no other process is there, so that no other submissions have to be counted. */
  readonly isAlone: boolean;
}

/**
 * Counts a submission in the caller's rate windows, for all processes on this machine.
 * @returns the exhausted windows; if there are any, the submission must wait
 */
export function countSubmission(db: DatabaseSync, state: WindowState): readonly LimitWindow[] {
  const rows = readRows(db).map((row) => renewed(row, state));
  const exhausted = state.isAlone ? [] : rows.filter(({ left }) => left <= 0);
  const isTaken = exhausted.length === 0;
  for (const row of rows) write(db, isTaken ? { ...row, left: row.left - 1 } : row);
  return exhausted.map(({ span, allowed, endsAt }) => ({
    span,
    limit: allowed,
    remaining: 0,
    endsIn: endsAt - state.now,
  }));
}

/**
 * Records the windows that an answer names. Within a window the count only falls: an answer may be older than
 * the ones that other processes have had.
 */
export function recordWindows(
  db: DatabaseSync,
  windows: readonly LimitWindow[],
  { now, inFlight, isAlone }: WindowState,
): void {
  const rows = new Map(readRows(db).map((row) => [row.span, row]));
  for (const { span, limit: allowed, remaining, endsIn } of windows) {
    if (endsIn === undefined) continue;
    const endsAt = now + endsIn;
    const known = rows.get(span);
    const isSame = !isAlone && known !== undefined && Math.abs(known.endsAt - endsAt) <= SAME_END;
    // Those in flight are counted already in a known window, and may be counted in `remaining` as well.
    const left = isSame ? Math.min(known.left, remaining) : remaining - inFlight;
    write(db, { span, allowed, endsAt, left });
  }
}

/** The row, in the window after it if its own has ended. */
function renewed(row: Row, { now, inFlight }: WindowState): Row {
  const { span, allowed, endsAt } = row;
  if (endsAt > now) return row;
  const missed = Math.floor((now - endsAt) / span) + 1;
  return { ...row, left: allowed - inFlight, endsAt: endsAt + missed * span };
}

function readRows(db: DatabaseSync): Row[] {
  const rows = db.prepare('select span, allowed, left_over, ends_at from windows').all();
  return rows.map((row) => ({
    span: Number(row['span']),
    allowed: Number(row['allowed']),
    left: Number(row['left_over']),
    endsAt: Number(row['ends_at']),
  }));
}

function write(db: DatabaseSync, { span, allowed, left, endsAt }: Row): void {
  db.prepare('insert or replace into windows (span, allowed, left_over, ends_at) values (?, ?, ?, ?)').run(
    span,
    allowed,
    left,
    endsAt,
  );
}
