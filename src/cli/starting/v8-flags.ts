import { setFlagsFromString } from 'node:v8';

/** Milliseconds after which a command has loaded what it needs. */
const STARTED = 200;

/** Versions of Node whose V8 has these flags: it writes an error to the output about one that it does not know. */
const MAJORS = { first: 22, last: 26 } as const;

type Value = number | boolean;

interface Flag {
  readonly name: string;
  /** V8's own value. */
  readonly usual: Value;
  readonly inBatch: Value;
}

const FLAGS: readonly Flag[] = [
  // V8 would let its space for new objects grow to 48 MB in a long batch, where it makes nothing faster: a thousand skins
  // with the embedded service take 160 MB instead of 200.
  { name: 'semi-space-growth-factor', usual: 2, inBatch: 1 },
  // A batch calls hundreds of functions a thousand times each. V8 would wait for 400 calls before it optimizes one, and for
  // 500 after each new kind of object that the function meets.
  { name: 'invocation-count-for-maglev', usual: 400, inBatch: 100 },
  { name: 'minimum-invocations-after-ic-update', usual: 500, inBatch: 100 },
  // V8 would wake another thread once more for each function that it has optimized, to free what it needed for that.
  { name: 'maglev-destroy-on-background', usual: true, inBatch: false },
];

/** Adapts V8 to batches. A server, which runs for days and allocates more at a time, keeps V8's own rules. */
export class V8Flags {
  #areSet = false;

  /** Sets them once a command has started; a short one is over by then. */
  setWhenStarted(argv: readonly string[], node: string = process.versions.node): void {
    const major = Number.parseInt(node, 10);
    if (argv.includes('serve') || major < MAJORS.first || major > MAJORS.last) return;
    setTimeout(() => this.#set(true), STARTED).unref();
  }

  /** Runs `work` under V8's own values: V8 refuses compiled code that was made under other flags. */
  withUsual<T>(work: () => T): T {
    if (!this.#areSet) return work();
    this.#set(false);
    try {
      return work();
    } finally {
      this.#set(true);
    }
  }

  #set(areSet: boolean): void {
    this.#areSet = areSet;
    for (const { name, usual, inBatch } of FLAGS) setFlagsFromString(flagOf(name, areSet ? inBatch : usual));
  }
}

function flagOf(name: string, value: Value): string {
  if (typeof value === 'boolean') return value ? `--${name}` : `--no-${name}`;
  return `--${name}=${value}`;
}
