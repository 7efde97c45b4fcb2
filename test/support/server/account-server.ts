import type { GameOptions } from '../../../src/game/game.ts';
import type { AccountRules } from '../../../src/server/accounts/availability.ts';
import type { ServerOptions } from '../../../src/server/server.ts';
import type { FakeGame } from '../fake-game/fake-game.ts';
import type { FakeGameOptions } from '../fake-game/options.ts';
import type { Person } from '../fake-game/people.ts';
import { runGame } from '../fake-game/run-game.ts';
import { runServer, type ServerUnderTest } from './running-server.ts';

/** As fast as the loopback network allows. */
const UNPACED = { burst: 10_000, interval: 1 };
/** Waits for the game however slow the machine is. */
export const FAST_GAME = {
  rules: {
    session: UNPACED,
    account: UNPACED,
    textures: UNPACED,
    keys: UNPACED,
    microsoft: UNPACED,
    xbox: UNPACED,
    xsts: UNPACED,
    login: UNPACED,
  },
  timeout: 60_000,
} as const satisfies Pick<GameOptions, 'rules' | 'timeout'>;

/** Rules under which a test takes no longer than it must. */
export const FAST_RULES: Partial<AccountRules> = {
  delay: 20,
  coolDown: 60_000,
  looks: [1, 10, 20],
  idle: 60_000,
};

export const CLIENT_ID = 'c0ffee00-0000-4000-8000-000000000000';

export interface AccountServer {
  readonly fake: FakeGame;
  readonly server: ServerUnderTest;
  /** Links an account by a refresh token, or by its token of the game; its UUID. */
  link(account: Person, how?: 'refresh' | 'game'): Promise<string>;
}

/** A service that makes skins with game accounts, and the game. */
export async function runAccountServer(
  options: Partial<ServerOptions> = {},
  gameOptions: FakeGameOptions = {},
): Promise<AccountServer> {
  // Its own key, of 2048 bits: signing with the one of all tests takes ten times as long.
  const fake = await runGame({ signingKeyPath: undefined, ...gameOptions });
  const server = await runServer(accountServerOptions(fake, options));
  const link: AccountServer['link'] = async (account, how = 'refresh') => {
    const token = how === 'game' ? account.token : fake.microsoft.refreshToken(account.id, CLIENT_ID);
    const { status, bytes } = await server.owner.json('/v2/account/accounts', { token });
    if (status === 201) return account.id;
    throw new Error(`Not linked: ${status} ${bytes.toString()}`);
  };
  return { fake, server, link };
}

export function accountServerOptions(
  { addresses }: Pick<FakeGame, 'addresses'>,
  { accountRules, ...options }: Partial<ServerOptions> = {},
): Partial<ServerOptions> {
  return {
    generator: 'accounts',
    gameAddresses: addresses,
    game: FAST_GAME,
    loginClientId: CLIENT_ID,
    accountRules: { ...FAST_RULES, ...accountRules },
    ...options,
  };
}
