import type { ServerOptions } from '../../server/server.ts';
import { CliError } from '../errors/exit.ts';
import { gameAddresses } from './game-addresses.ts';

/** Command-line options for game accounts. */
export interface GameOptions {
  /** Seconds. */
  readonly accountDelay?: number;
  readonly loginClientId?: string;
}

type GameSettings = Pick<ServerOptions, 'accountRules' | 'gameAddresses' | 'loginClientId'>;

const CLIENT_ID = /^[\w-]{1,64}$/;

/** How a service accesses the game; options override the environment. @throws CliError */
export async function gameSettings(typed: GameOptions, env: NodeJS.ProcessEnv): Promise<GameSettings> {
  const { accountDelay, loginClientId = env['SKINSMITH_LOGIN_CLIENT_ID'] } = typed;
  const addresses = gameAddresses(env);
  if (loginClientId && !CLIENT_ID.test(loginClientId)) {
    throw wrong(
      'The client id for signing in is one word, as Microsoft shows it: letters, digits and dashes.',
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
