import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const SIGNALS = Object.keys(constants.signals) as NodeJS.Signals[];

/**
 * Loads all files that the built program has beside this one. Otherwise each is read when it is first used, and an
 * upgrade that replaces them would take away parts that a running service has not used yet, even its orderly end.
 */
export function keepAllFiles(): void {
  const here = fileURLToPath(import.meta.url);
  const load = createRequire(here);
  withoutNewListeners(() => {
    for (const name of readdirSync(dirname(here))) if (name.endsWith('.cjs')) load(`./${name}`);
  });
}

/** Packages for the terminal end the process at a signal once they are loaded; a service first finishes its work. */
function withoutNewListeners(load: () => void): void {
  const before = SIGNALS.map((signal) => new Set(process.listeners(signal)));
  load();
  SIGNALS.forEach((signal, index) => {
    for (const listener of process.listeners(signal))
      if (!before[index]?.has(listener)) process.off(signal, listener);
  });
}
