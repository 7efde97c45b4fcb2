import type { LogLevel, LogStream } from '../../../server/server.ts';
import { lineOf } from '../own-log.ts';
import type { Ended } from './serving-process.ts';

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
  const how = signal === null ? { status: code } : { signal };
  const msg = 'a process ended; another is started';
  const line = lineOf('warn', level, { now: now(), process: pid, ...how, restartInMs: pause, msg });
  if (line !== undefined) stream.write(line);
}
