import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { ServerOptions } from '../../../src/server/server.ts';
import { childProgram } from '../program/child-program.ts';
import type { VersionName } from '../server/program-versions.ts';

interface Start {
  /** Milliseconds that its clock is ahead. */
  readonly skew?: number;
  /** Which version of the program it runs. */
  readonly version?: VersionName;
}

/** The service as a process, which may end and be started again. It ends with the test. */
export class ServerProcess {
  /** All its processes. */
  readonly processes = new Set<number>();
  /** What its log says of requests that it could not answer because of an error of its own. */
  readonly faults: string[] = [];
  readonly #options: ServerOptions;
  #process: ChildProcess | undefined;
  #url = '';
  readonly #crash = Promise.withResolvers<never>();

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#crash.promise.catch(() => {}); // where nobody waits for it
    onTestFinished(async () => await this.kill());
  }

  /** Undefined while it does not run. */
  get url(): string | undefined {
    return this.#process ? this.#url : undefined;
  }

  /** Rejects if a process ends by itself. */
  get crash(): Promise<never> {
    return this.#crash.promise;
  }

  /** Starts it, repeatedly if necessary: its database may be unreachable. */
  async start({ skew = 0, version = 'this' }: Start = {}): Promise<void> {
    while (!this.#process) {
      const shift = `const now = Date.now; Date.now = () => now() + ${skew};`;
      const loader = ['--import', `data:text/javascript,${encodeURIComponent(shift)}`];
      const program = [childProgram('serve-process'), JSON.stringify(this.#options), version];
      const words = [...(skew === 0 ? [] : loader), ...program];
      const child = spawn(process.execPath, words, {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      this.processes.add(child.pid ?? 0);
      createInterface({ input: child.stderr }).on('line', (written) => {
        if (written.includes('"internal_error"')) this.faults.push(written);
      });
      const lines = createInterface({ input: child.stdout });
      const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [undefined])]);
      if (line === undefined) continue;
      this.#url = String(line);
      this.#process = child;
      child.once('exit', (status) => {
        if (this.#process === child)
          this.#crash.reject(new Error(`A server ended by itself, with ${status}.`));
      });
    }
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** As an operator does. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal);
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}
