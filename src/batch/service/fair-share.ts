import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { isAlive } from '../files/atomic-file.ts';

/** Milliseconds after which a file that nobody has touched is of a batch that submits nothing now. */
const STALE = 10_000;
/** Milliseconds that a look at who else is there stays good, and that a turn lasts. */
const FRESH = 200;
const TURN = 3_000;

/**
 * Batches of one caller on this machine share the caller's spots: each has a file in one folder for as
 * long as it has something to submit, and takes its part of them. What does not divide goes round.
 */
export class FairShare {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #name = `${process.pid}.${randomBytes(4).toString('hex')}`;
  #isIn = false;
  #seen: { at: number; names: readonly string[] } | undefined;

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  enter(): void {
    if (this.#isIn) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.#folder, this.#name), '', { mode: 0o600 });
    const now = new Date(this.#clock.now());
    utimesSync(join(this.#folder, this.#name), now, now);
    this.#isIn = true;
    this.#seen = undefined;
  }

  leave(): void {
    if (!this.#isIn) return;
    rmSync(join(this.#folder, this.#name), { force: true });
    this.#isIn = false;
  }

  /** How many of `limit` spots are this batch's now. */
  of(limit: number): number {
    const names = this.#others();
    const count = names.length;
    if (count <= 1) return limit;
    const turn = Math.floor(this.#clock.now() / TURN);
    const rank = (names.indexOf(this.#name) + turn) % count;
    return Math.floor(limit / count) + (rank < limit % count ? 1 : 0);
  }

  #others(): readonly string[] {
    const at = this.#clock.monotonic();
    if (!this.#seen || at - this.#seen.at > FRESH) this.#seen = { at, names: this.#living() };
    return this.#seen.names;
  }

  #living(): readonly string[] {
    const now = new Date(this.#clock.now());
    if (this.#isIn) utimesSync(join(this.#folder, this.#name), now, now);
    const names = readdirSync(this.#folder).sort();
    return names.filter((name) => name === this.#name || this.#isAlive(name));
  }

  /** A batch that was killed leaves its file: whoever sees it first clears it away. */
  #isAlive(name: string): boolean {
    const pid = Number(name.split('.', 1)[0]);
    const path = join(this.#folder, name);
    if (Number.isSafeInteger(pid) && pid > 0 && isAlive(pid)) return this.#isFresh(path);
    rmSync(path, { force: true });
    return false;
  }

  /** In a container every run may have the same process id: then the time is what tells. */
  #isFresh(path: string): boolean {
    const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    return touched !== undefined && Math.abs(this.#clock.now() - touched) < STALE;
  }
}
