import type { Clock } from '../../base/clock.ts';
import { StoreTooNewError } from '../store/db.ts';
import { StoreGoneError } from '../store/failures.ts';
import { StoreReplacedError } from '../store/sqlite.ts';

/** Milliseconds in which the same error is logged once. */
const MINUTE = 60_000;
/** Different errors that are remembered. */
const MAX_KNOWN = 100;

/** The part of a logger that the background work needs. */
export interface ErrorLines {
  error(details: object, message: string): void;
}

/**
 * Logs errors of the work in the background. It is tried again several times a second, so an error that repeats is
 * logged once a minute, with the number of repetitions.
 */
export class ErrorLog {
  readonly #log: ErrorLines;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By text: when it was logged last (monotonic), and how often it has occurred since. */
  readonly #known = new Map<string, { at: number; omitted: number }>();

  constructor(log: ErrorLines, clock: Pick<Clock, 'monotonic'>) {
    this.#log = log;
    this.#clock = clock;
  }

  /** `part`: of the service. */
  report(error: unknown, part: string): void {
    const isLost =
      error instanceof StoreReplacedError ||
      error instanceof StoreGoneError ||
      error instanceof StoreTooNewError;
    const text = isLost ? error.code : `${part}: ${error}`; // every part reports a lost store
    const now = this.#clock.monotonic();
    const known = this.#known.get(text);
    if (known && now - known.at < MINUTE) {
      known.omitted++;
      return;
    }
    this.#remember(text, now);
    const repeated = known && known.omitted > 0 ? { repeated: known.omitted } : {};
    if (isLost) this.#log.error({ code: error.code, ...repeated }, error.message);
    else this.#log.error({ err: error, ...repeated }, part);
  }

  #remember(text: string, at: number): void {
    this.#known.delete(text);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= MAX_KNOWN) this.#known.delete(oldest);
    this.#known.set(text, { at, omitted: 0 });
  }
}
