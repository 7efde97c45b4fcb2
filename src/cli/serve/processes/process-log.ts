import { hostname } from 'node:os';
import type { LogLevel, LogStream } from '../../../server/server.ts';
import type { Ended } from './serving-process.ts';

/** Levels as the service's own log numbers them. */
const WARN = 40;
const WARNINGS: ReadonlySet<LogLevel> = new Set(['warn', 'info', 'debug']);

export interface ProcessLogOptions {
  readonly level: LogLevel;
  readonly stream: LogStream;
  readonly now: () => number;
}

/** Logs what happens to the processes, as the processes log themselves. */
export function logLost(
  { level, stream, now }: ProcessLogOptions,
  { pid, code, signal, pause }: Ended & { readonly pid: number | undefined; readonly pause: number },
): void {
  if (!WARNINGS.has(level)) return;
  const who = { level: WARN, time: now(), pid: process.pid, hostname: hostname() };
  const how = signal === null ? { status: code } : { signal };
  const line = {
    ...who,
    process: pid,
    ...how,
    restartInMs: pause,
    msg: 'a process ended; another is started',
  };
  stream.write(`${JSON.stringify(line)}\n`);
}
