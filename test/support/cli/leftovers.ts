import { getEventListeners } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { expect } from 'vitest';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { OWN_FOLDERS } from '../server/own-folder.ts';

const STORE = /\/skinsmith\.db/;

interface Held {
  readonly listeners: number;
  readonly files: readonly string[];
}

type Watched = Pick<CommandContext, 'messages' | 'signal'>;

/** What a command has opened or begun and should have ended when it is over, however it ends. */
export class Leftovers {
  readonly #signal: AbortSignal;
  readonly #before: Held;
  #spinners = 0;

  constructor({ messages, signal }: Watched) {
    this.#signal = signal;
    this.#before = this.#held();
    this.#countSpinners(messages);
  }

  /** Also where no terminal shows them. */
  #countSpinners(messages: Watched['messages']): void {
    const begin = messages.progress.bind(messages);
    messages.progress = async (text) => {
      const spinner = await begin(text);
      let isOver = false;
      this.#spinners++;
      const stop = () => {
        if (!isOver) this.#spinners--;
        isOver = true;
        spinner.stop();
      };
      return { ...spinner, stop };
    };
  }

  #held(): Held {
    return { listeners: getEventListeners(this.#signal, 'abort').length, files: openFiles() };
  }

  /** Once the command has ended: nothing turns on, and what it printed is whole. */
  verifyEnd(out: string): void {
    expect(this.#spinners, 'spinners that still turn').toBe(0);
    if (out.startsWith('[')) JSON.parse(out);
  }

  /** Once what it shares with others is closed, too. */
  verifyClosed(): void {
    const { listeners, files } = this.#held();
    expect(listeners, 'listeners of its signal').toBeLessThanOrEqual(this.#before.listeners);
    const before = new Set(this.#before.files); // of other runs, which may have ended since
    expect(files.filter((file) => !before.has(file))).toEqual([]);
  }
}

/** Files in folders of this test that this process has open, where the system tells. A service opens its store as often as it likes. */
function openFiles(): string[] {
  const found: string[] = [];
  for (const fd of process.platform === 'linux' ? readdirSync('/proc/self/fd') : []) {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      if ([...OWN_FOLDERS].some((folder) => path.startsWith(folder)) && !STORE.test(path)) found.push(path);
    } catch {
      // The one that listed them.
    }
  }
  return found.sort();
}
