import { expect, test } from 'vitest';
import { type OwnLog, ownLog } from '../../../src/cli/serve/own-log.ts';

type Options = Parameters<typeof ownLog>[0];

/** What appears on stderr, which is no terminal. */
async function written(options: Options, work: (log: OwnLog) => unknown): Promise<string> {
  let text = '';
  const write = (part: string) => {
    text += part;
    return true;
  };
  const messages = {
    say: (said: string) => write(`${said}\n`),
    warn: (said: string) => write(`warning: ${said}\n`),
  };
  const context = {
    io: { err: { isTTY: false, write } },
    flags: {},
    messages,
    clock: { now: () => 1_700_000_000_000 },
  };
  await work(ownLog(options, context as unknown as Parameters<typeof ownLog>[1]));
  return text;
}

test.each([
  ['say', {}, 30],
  ['warn', {}, 40],
  ['warn', { logFormat: 'json', logLevel: 'warn' }, 40],
] as const)(
  'A message that the command has to %s is a line of the log with %j',
  async (verb, options, level) => {
    const text = await written(options, async (log) => await log[verb]('Stopping.'));
    expect(text).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(text)).toMatchObject({
      level,
      time: 1_700_000_000_000,
      pid: process.pid,
      msg: 'Stopping.',
    });
  },
);

test('A message below the level of the log is not logged', async () => {
  expect(await written({ logLevel: 'warn' }, (log) => log.say('Stopping.'))).toBe('');
  expect(await written({ logLevel: 'error' }, async (log) => await log.warn('Stopping.'))).toBe('');
});

test('A message is logged unchanged in a log for people', async () => {
  expect(await written({ logFormat: 'text' }, (log) => log.say('Stopping.'))).toBe('Stopping.\n');
});
