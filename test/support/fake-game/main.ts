/**
 * The game's services as a program of their own: options as one JSON argument, `{"url","addresses","accounts"}` as
 * first line of its output, controls under /_fake (see control.ts). Ends with SIGTERM or SIGINT.
 */
import { FakeGame } from './fake-game.ts';
import { parseOptions } from './options.ts';

const game = await FakeGame.start(parseOptions(process.argv[2] ?? '{}'));
const accounts = game.accounts.map(({ id, name, token }) => ({ id, name, token }));
const { url, addresses, loginAddresses } = game;
process.stdout.write(`${JSON.stringify({ url, addresses, loginAddresses, accounts })}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void game.close());
