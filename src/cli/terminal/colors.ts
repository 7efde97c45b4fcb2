import type { OutputStream } from './io.ts';

/** The colours in use, as functions; they return plain text when colour is off. */
export interface Colors {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly strong: (text: string) => string;
}

export async function colorsFor(stream: OutputStream): Promise<Colors> {
  if (!stream.hasColor) {
    const plain = (text: string) => text;
    return { good: plain, bad: plain, warn: plain, faint: plain, strong: plain };
  }
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return { good: chalk.green, bad: chalk.red, warn: chalk.yellow, faint: chalk.dim, strong: chalk.bold };
}
