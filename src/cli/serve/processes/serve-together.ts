import cluster, { type Worker } from 'node:cluster';
import type { ServerOptions } from '../../../server/server.ts';
import type { CommandContext } from '../../context/context.ts';
import { exitStatus } from '../../errors/exit.ts';
import { aborted } from '../aborted.ts';
import type { Listening } from './messages.ts';
import { PrimaryLink } from './primary-link.ts';
import { logLost } from './process-log.ts';
import { Supervisor } from './supervisor.ts';

export interface Together {
  readonly count: number;
  readonly port: number | undefined;
  /** The options of each process, apart from its part. */
  readonly options: () => Promise<ServerOptions>;
  /** Called when all processes listen. */
  readonly onListening: (listening: Listening) => void;
  readonly onStopping: () => void;
}

/**
 * Serves from several processes over one store. The primary process holds the port, hands each connection to the next
 * of them and replaces those that die; each runs this same command line and serves. When the primary one dies, they end at
 * once.
 * @returns the exit status
 */
export async function serveTogether(together: Together, context: CommandContext): Promise<number> {
  return cluster.isPrimary ? await supervise(together, context) : await serveOnePart(together, context);
}

async function supervise(
  { count, port, options, onListening, onStopping }: Together,
  { clock, signal }: CommandContext,
): Promise<number> {
  const { logLevel: level = 'silent', logStream: stream = process.stderr } = await options();
  cluster.schedulingPolicy = cluster.SCHED_RR; // the system's own way gives some processes most connections
  signal.addEventListener('abort', onStopping);
  return await new Supervisor({
    count,
    port,
    start: () => closingUndelivered(cluster.fork()),
    clock,
    signal,
    onListening,
    onLost: (lost) => logLost({ level, stream, now: () => clock.now() }, lost),
  }).run();
}

/**
 * A connection that is on its way to a process when that dies is never closed by Node's cluster, and its caller would wait
 * for ever. One at a time is on its way to each process.
 */
function closingUndelivered(worker: Worker): Worker {
  const { process: child } = worker;
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  let last: { close(): void } | undefined;
  child.send = (...args: unknown[]) => {
    if (isHandle(args[1])) last = args[1];
    return send(...args);
  };
  worker.once('exit', () => last?.close()); // one that has arrived is closed already
  return worker;
}

/** There may be options or a callback in its place. */
function isHandle(thing: unknown): thing is { close(): void } {
  return typeof thing === 'object' && thing !== null && 'close' in thing;
}

async function serveOnePart({ options }: Together, { signal }: CommandContext): Promise<number> {
  const link = await PrimaryLink.open(process);
  try {
    const { startServer } = await import('../../../server/server.ts');
    const own = await options();
    const server = await startServer({ ...own, port: link.port ?? own.port, siblings: link });
    link.listening(server);
    await aborted(AbortSignal.any([signal, link.stopSignal]));
    await server.close();
    return exitStatus('done');
  } finally {
    link.release();
  }
}
