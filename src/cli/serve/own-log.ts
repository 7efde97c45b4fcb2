import { once } from 'node:events';
import { hostname } from 'node:os';
import { parsedJson } from '../../base/text.ts';
import type { LogLevel } from '../../server/server.ts';
import type { CommandContext } from '../context/context.ts';
import type { Colors } from '../terminal/io.ts';
import { clean } from '../text/text.ts';

/** Resolves when the signal aborts, or at once if it has. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Levels as the service's own log numbers them, and at which settings they are logged. */
const LEVELS = {
  info: { number: 30, at: ['info', 'debug'] },
  warn: { number: 40, at: ['warn', 'info', 'debug'] },
} as const satisfies Record<string, { readonly number: number; readonly at: readonly LogLevel[] }>;

interface LogOptions {
  readonly logFormat?: 'json' | 'text' | undefined;
  readonly logLevel?: LogLevel;
}

/** The command's own messages, beside the service's log. */
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

interface LogLine {
  readonly level?: number;
  readonly time?: number;
  readonly msg?: string;
  readonly [field: string]: unknown;
}

interface LogTextOptions {
  readonly write: (text: string) => void;
  readonly colors: Colors;
  /** Whether the terminal shows the address already, so that the start itself is no news. */
  readonly isAnnounced?: boolean;
  readonly showsRequests: boolean;
}

/** Levels as pino numbers them. */
const WARN = 40;
const ERROR = 50;
/** Fields that mean nothing to a person. */
const OMITTED = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'reqId', 'name', 'v']);
const LONGEST_FIELD = 200;

/** Reads the service's log as JSON lines and writes it as readable text. */
export class LogText {
  readonly #options: LogTextOptions;

  constructor(options: LogTextOptions) {
    this.#options = options;
  }

  write(text: string): void {
    for (const line of text.split('\n')) {
      if (line !== '') this.#line(line);
    }
  }

  #line(json: string): void {
    const { write, colors, showsRequests, isAnnounced } = this.#options;
    const line = parsed(json);
    if (!line) write(`${clean(json)}\n`);
    else if (line.msg === 'started' && isAnnounced) this.#sayWhoSigns(line);
    else if (line.msg !== 'request' || showsRequests) {
      const text = line.msg === 'request' ? requestText(line, colors) : eventText(line, colors);
      write(`${clockOf(line, colors)} ${text}\n`);
    }
  }

  #sayWhoSigns(line: LogLine): void {
    const { write, colors } = this.#options;
    if (line['signer'] !== undefined)
      write(`${clockOf(line, colors)} signer: ${clean(fieldText(line['signer']))}\n`);
  }
}

/** Undefined for what is not a log line, which is printed unchanged. */
function parsed(json: string): LogLine | undefined {
  const line = parsedJson(json);
  return typeof line === 'object' && line !== null ? (line as LogLine) : undefined;
}

/** The time of day in the local time zone. */
function clockOf({ time }: LogLine, { faint }: Colors): string {
  const date = new Date(typeof time === 'number' ? time : Number.NaN);
  return faint(Number.isNaN(date.getTime()) ? '--:--:--' : date.toLocaleTimeString('en-GB'));
}

/** `POST /v2/queue 202 12 ms  anna`. */
function requestText({ method, path, status, ms, user, caller, aborted }: LogLine, colors: Colors): string {
  const code = Number(status);
  const colour = code >= 500 ? colors.bad : code >= 400 ? colors.warn : colors.good;
  const who = clean(String(user ?? caller ?? ''));
  const gone = aborted === true ? ' (the caller disconnected)' : '';
  const what = `${clean(String(method))} ${clean(String(path))}`;
  return `${what} ${colour(clean(String(status)))} ${clean(String(ms))} ms${gone}${who === '' ? '' : `  ${colors.faint(who)}`}`;
}

function eventText(line: LogLine, colors: Colors): string {
  const { level = 0, msg = '' } = line;
  const mark =
    level >= ERROR ? `${colors.bad('error:')} ` : level >= WARN ? `${colors.warn('warning:')} ` : '';
  const fields = Object.entries(line).flatMap(([name, value]) =>
    OMITTED.has(name) ? [] : [`${clean(name)}=${clean(fieldText(value)).slice(0, LONGEST_FIELD)}`],
  );
  const rest = fields.length === 0 ? '' : `  ${colors.faint(fields.join(' '))}`;
  return `${mark}${clean(String(msg))}${rest}`;
}

function fieldText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { message } = value as { message?: unknown };
  return typeof message === 'string' ? message : JSON.stringify(value);
}
