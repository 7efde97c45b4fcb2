import { type Game, openGame } from '../../game/game.ts';
import { type Accounts, openAccounts } from '../accounts/accounts.ts';
import { type GuardedAgent, makeGuardedAgent } from '../outbound/guarded-agent.ts';
import { outboundPolicy } from '../outbound/policy.ts';
import type { Basis } from './basis.ts';
import type { Releases } from './releases.ts';
import type { ServerOptions } from './server-options.ts';

/** What the service reaches the game and other servers with. */
export interface Outbound {
  readonly game: Game;
  readonly pictures: GuardedAgent;
  readonly accounts: Accounts;
}

/** Sends no request yet. */
export function openOutbound(options: ServerOptions, basis: Basis, releases: Releases): Outbound {
  const { gameAddresses: addresses, accountRules: rules, loginClientId: clientId, dataDir } = options;
  const { clock } = basis;
  const game = openGame({ ...options.game, ...(addresses && { addresses }), clock });
  releases.add(() => game.close());
  const pictures = makeGuardedAgent({ policy: outboundPolicy(options) });
  releases.add(() => pictures.close());
  return { game, pictures, accounts: openAccounts({ ...basis, game, dataDir, rules, clientId }) };
}
