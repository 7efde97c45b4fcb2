import { inspect } from 'node:util';
import { withoutKeys } from '../without-keys.ts';

const LEVELS = { info: 30, warn: 40, error: 50 } as const;
type Level = keyof typeof LEVELS;

export interface PlainLogOptions {
  /** The least level that is logged; `silent`: nothing is. */
  readonly level: Level | 'silent';
  readonly stream: { write(line: string): unknown };
  readonly now: () => number;
}

/** What a line is about, and its message. */
type Line = [details: object, message: string] | [message: string];

/** Writes the lines that `serve` writes, as JSON, for a service without requests from outside. */
export class PlainLog {
  readonly #options: PlainLogOptions;

  constructor(options: PlainLogOptions) {
    this.#options = options;
  }

  info(...line: Line): void {
    this.#write('info', line);
  }

  warn(...line: Line): void {
    this.#write('warn', line);
  }

  error(...line: Line): void {
    this.#write('error', line);
  }

  #write(name: Level, line: Line): void {
    const { level, stream, now } = this.#options;
    if (level === 'silent' || LEVELS[name] < LEVELS[level]) return;
    const [details, msg] = line.length === 1 ? [{}, line[0]] : line;
    const text = JSON.stringify({ level: LEVELS[name], time: now(), ...readable(details), msg });
    stream.write(`${withoutKeys(text)}\n`);
  }
}

/** JSON has no errors. */
function readable(details: object): object {
  const entries = Object.entries(details).map(([name, value]) => [
    name,
    value instanceof Error ? { type: value.name, message: value.message, stack: inspect(value) } : value,
  ]);
  return Object.fromEntries(entries);
}
