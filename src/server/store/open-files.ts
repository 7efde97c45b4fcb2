import { statSync } from 'node:fs';

/** The store's files were removed or replaced while open: anything written now would be lost. */
export class StoreReplacedError extends Error {
  override readonly name = 'StoreReplacedError';
  readonly code = 'store_replaced';

  constructor() {
    super('The store was removed or replaced while the service was using it. Restart the service.');
  }
}

/** Open files, and whether their names still refer to them. */
export class OpenFiles {
  readonly #opened: readonly (readonly [path: string, identity: string])[];
  #areReplaced = false;

  /** Ignores paths that do not exist. */
  constructor(paths: readonly string[]) {
    this.#opened = paths.flatMap((path) => {
      const identity = identityOf(path);
      return identity === undefined ? [] : [[path, identity] as const];
    });
  }

  /** The result of the last look. Once true, it stays true: what was written in the meantime may be in either file. */
  get areReplaced(): boolean {
    return this.#areReplaced;
  }

  /** Takes microseconds. */
  look(): void {
    this.#areReplaced ||= this.#opened.some(([path, identity]) => identityOf(path) !== identity);
  }

  /** @throws StoreReplacedError based on the last look */
  verify(): void {
    if (this.#areReplaced) throw new StoreReplacedError();
  }
}

/** As long as a file is open, no other file can get its inode. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.dev}:${found.ino}`;
}
