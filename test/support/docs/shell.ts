import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { poll } from '../server/poll.ts';

/** One line that was typed, and what came of it. */
export interface Typed {
  readonly status: number;
  /** Standard output and error together, as a terminal shows them. */
  readonly output: string;
}

interface ShellOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A bash that lines are typed into: variables, exports and the folder stay as one line leaves them for the next. */
export class Shell {
  readonly #bash: ChildProcessByStdio<Writable, Readable, null>;
  #output = '';

  constructor({ cwd, env }: ShellOptions) {
    this.#bash = spawn('bash', ['--norc', '-o', 'pipefail'], {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#bash.stdin.write('exec 2>&1\n');
    this.#bash.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
    onTestFinished(async () => await this.#end());
  }

  /** Types it and waits until it is done. */
  async type(text: string): Promise<Typed> {
    this.#output = '';
    this.#bash.stdin.write(`{ ${text}\n} </dev/null\nprintf '\\n<done %s>\\n' "$?"\n`);
    const done = await poll(
      () => /\n<done (\d+)>\n$/.exec(this.#output),
      (found) => found !== null || this.#bash.exitCode !== null,
    );
    if (!done) return { status: this.#bash.exitCode ?? 1, output: this.#output };
    return { status: Number(done[1]), output: this.#output.slice(0, done.index) };
  }

  /** Ends it; what it runs ends by the end of its input or with the test. */
  async #end(): Promise<void> {
    if (this.#bash.exitCode !== null) return;
    this.#bash.stdin.end('exit\n');
    await once(this.#bash, 'exit');
  }
}
