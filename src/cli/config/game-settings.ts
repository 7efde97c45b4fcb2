import { type GameAddresses, readGameAddresses } from '../../game/addresses.ts';
import type { ServerOptions } from '../../server/server.ts';
import { CliError } from '../errors/exit.ts';

/** The configured addresses of the game's services; undefined for the default ones. @throws CliError */
export function gameAddresses(env: NodeJS.ProcessEnv): GameAddresses | undefined {
  const text = env['SKINSMITH_GAME_ADDRESSES'];
  if (!text) return undefined;
  const { addresses, problem } = readGameAddresses(text);
  if (addresses) return addresses;
  throw new CliError('invalid_setting', `SKINSMITH_GAME_ADDRESSES is invalid: ${problem}.`, {
    exit: 'usage',
  });
}

/** Command-line options for game accounts. */
export interface AccountOptions {
  /** Seconds. */
  readonly accountDelay?: number;
  readonly loginClientId?: string;
}

type GameSettings = Pick<ServerOptions, 'accountRules' | 'gameAddresses' | 'loginClientId'>;

const CLIENT_ID = /^[\w-]{1,64}$/;

/** How a service accesses the game; options override the environment. @throws CliError */
export async function gameSettings(typed: AccountOptions, env: NodeJS.ProcessEnv): Promise<GameSettings> {
  const { accountDelay, loginClientId = env['SKINSMITH_LOGIN_CLIENT_ID'] } = typed;
  const addresses = gameAddresses(env);
  if (loginClientId && !CLIENT_ID.test(loginClientId)) {
    throw wrong(
      'The client ID for signing in must be one word of letters, digits and dashes, as Microsoft shows it.',
    );
  }
  return {
    loginClientId: loginClientId || undefined,
    ...(accountDelay !== undefined && { accountRules: { delay: accountDelay * 1000 } }),
    ...(addresses && { gameAddresses: addresses }),
  };
}

function wrong(message: string): CliError {
  return new CliError('invalid_setting', message, { exit: 'usage' });
}
