import { type GameAddresses, readGameAddresses } from '../../game/addresses.ts';
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
