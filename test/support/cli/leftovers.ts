import { getEventListeners } from 'node:events';
import { expect } from 'vitest';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { OWN_FOLDERS, openFiles } from '../server/own-folder.ts';

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
    return { listeners: getEventListeners(this.#signal, 'abort').length, files: filesOfCommands() };
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

/** Open files in folders of this test. A service opens its store as often as it likes. */
function filesOfCommands(): string[] {
  return openFiles(OWN_FOLDERS).filter((path) => !STORE.test(path));
}
