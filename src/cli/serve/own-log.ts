import { hostname } from 'node:os';
import type { LogLevel } from '../../server/server.ts';
import type { CommandContext } from '../context/context.ts';

/** Levels as the service's own log numbers them, and at which settings they are logged. */
const LEVELS = {
  info: { number: 30, at: ['info', 'debug'] },
  warn: { number: 40, at: ['warn', 'info', 'debug'] },
} as const satisfies Record<string, { readonly number: number; readonly at: readonly LogLevel[] }>;

/** Command-line options for the log. */
interface LogOptions {
  readonly logFormat?: 'json' | 'text' | undefined;
  readonly logLevel?: LogLevel;
}

/** What the command has to say itself, beside the service's log. */
export interface OwnLog {
  say(text: string): void;
  warn(text: string): Promise<void>;
}

type LogContext = Pick<CommandContext, 'io' | 'flags' | 'messages' | 'clock'>;

/** Whether the log is for programs: then every line of it is JSON, and so is what the command says. */
export function logsJson(
  { logFormat }: Pick<LogOptions, 'logFormat'>,
  { io: { err }, flags }: Pick<LogContext, 'io' | 'flags'>,
): boolean {
  return (logFormat ?? (err.isTTY && !flags.json ? 'text' : 'json')) === 'json';
}

export function ownLog(options: LogOptions, context: LogContext): OwnLog {
  const { io, messages, clock } = context;
  if (!logsJson(options, context))
    return { say: (text) => messages.say(text), warn: async (text) => await messages.warn(text) };
  const logLevel = options.logLevel ?? 'info';
  const log = (level: keyof typeof LEVELS, msg: string) => {
    const line = lineOf(level, logLevel, { now: clock.now(), msg });
    if (line !== undefined) io.err.write(line);
  };
  return { say: (text) => log('info', text), warn: async (text) => log('warn', text) };
}

/** A line as the service itself logs; undefined if it is not to be logged. */
export function lineOf(
  level: keyof typeof LEVELS,
  logLevel: LogLevel,
  { now, msg, ...fields }: { readonly now: number; readonly msg: string; readonly [field: string]: unknown },
): string | undefined {
  const { number, at } = LEVELS[level];
  if (!(at as readonly LogLevel[]).includes(logLevel)) return undefined;
  const who = { level: number, time: now, pid: process.pid, hostname: hostname() };
  return `${JSON.stringify({ ...who, ...fields, msg })}\n`;
}
