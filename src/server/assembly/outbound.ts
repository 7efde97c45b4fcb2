import { type Game, openGame } from '../../game/game.ts';
import { type Accounts, openAccounts } from '../accounts/linking.ts';
import { AccountKeyChangedError, TokenCipher } from '../accounts/token-cipher.ts';
import { type GuardedAgent, makeGuardedAgent } from '../outbound/guarded-agent.ts';
import { outboundPolicy } from '../outbound/policy.ts';
import type { Db } from '../store/db.ts';
import { keepMeta, readMeta } from '../store/meta.ts';
import type { Basis } from './basis.ts';
import { accountKeyPath } from './key-files.ts';
import type { Releases } from './releases.ts';
import type { ServerOptions } from './server-options.ts';

/** What the service reaches the game and other servers with. */
export interface Outbound {
  readonly game: Game;
  /** To addresses that callers name. */
  readonly pictures: GuardedAgent;
  /** To addresses that another service names, which the operator has chosen. */
  readonly serviceTextures: GuardedAgent;
  readonly accounts: Accounts;
}

/** Sends no request yet. @throws AccountKeyError, AccountKeyChangedError */
export async function openOutbound(
  options: ServerOptions,
  basis: Basis,
  releases: Releases,
): Promise<Outbound> {
  const { gameAddresses: addresses, accountRules: rules, loginClientId: clientId, proxies } = options;
  const cipher = await openCipher(options, basis.db);
  const { clock } = basis;
  const game = openGame({ ...options.game, ...(addresses && { addresses }), clock, proxies });
  releases.add(() => game.close());
  const policy = outboundPolicy(options);
  const pictures = makeGuardedAgent({ policy, proxies: options.fetchProxies });
  const serviceTextures = makeGuardedAgent({ policy, proxies });
  releases.add(async () => void (await Promise.all([pictures.close(), serviceTextures.close()])));
  return {
    game,
    pictures,
    serviceTextures,
    accounts: openAccounts({ ...basis, game, cipher, rules, clientId }),
  };
}

/** Servers that share a store must have the same key: its fingerprint is in the store from the first use on. */
async function openCipher(options: ServerOptions, db: Db): Promise<TokenCipher> {
  const path = accountKeyPath(options);
  if (!options.store) return new TokenCipher(path);
  const cipher = new TokenCipher(path, async (found) => {
    if (found !== undefined) await keepMeta(db, 'account-key', found);
    const kept = await readMeta(db, 'account-key');
    if (kept === found) return;
    const here = found === undefined ? `there is no ${path}` : `${path} is the key ${found}`;
    throw new AccountKeyChangedError(
      `The game accounts of this store are sealed with the key ${kept}, but ${here}.`,
    );
  });
  await cipher.start();
  return cipher;
}
