import { z } from 'zod';
import { type Answer, notFound, ok } from './answers.ts';
import type { LoggedCall } from './call-log.ts';
import type { Call } from './calls.ts';
import { type Order, orderSchema, type RandomFaults, randomFaultsSchema } from './faults.ts';
import { readJson } from './forms.ts';
import type { Microsoft } from './microsoft.ts';
import type { Person } from './people.ts';

/** The controls of an imitated game. */
interface Controlled {
  readonly calls: readonly LoggedCall[];
  readonly accounts: readonly Person[];
  readonly microsoft: Pick<Microsoft, 'approve'>;
  set randomFaults(randomFaults: RandomFaults | undefined);
  order(order: Order): void;
}

type Action = (game: Controlled, sent: unknown) => unknown;

const ACTIONS: Readonly<Record<string, Action>> = {
  /** GET: every call so far. */
  calls: (game) => game.calls,
  /** GET: the accounts and their tokens. */
  accounts: (game) => game.accounts.map(({ id, name, token, look }) => ({ id, name, token, look })),
  /** POST: an order of a fault. */
  order: (game, sent) => game.order(orderSchema.parse(sent)),
  /** POST: the random faults, or `null` for none. */
  randomFaults: (game, sent) => {
    game.randomFaults = randomFaultsSchema.nullable().parse(sent) ?? undefined;
  },
  /** POST: `{"userCode","account"}`. */
  approve: (game, sent) => {
    const { userCode, account } = z.object({ userCode: z.string(), account: z.string() }).parse(sent);
    game.microsoft.approve(userCode, account);
  },
};

/** Commands from a test to a game that runs as a separate program. */
export function control(game: Controlled, { subject, body }: Call): Answer {
  const action = ACTIONS[subject];
  return action ? ok(action(game, readJson(body)) ?? {}) : notFound(`/_fake/${subject}`);
}
