import { type GameAddresses, readGameAddresses } from '../game/addresses.ts';
import { CliError } from './exit.ts';

/** Where the setting says that the game's services are; undefined: where they always are. @throws CliError */
export function gameAddresses(env: NodeJS.ProcessEnv): GameAddresses | undefined {
  const text = env['SKINSMITH_GAME_ADDRESSES'];
  if (!text) return undefined;
  const { addresses, problem } = readGameAddresses(text);
  if (addresses) return addresses;
  throw new CliError('invalid_setting', `SKINSMITH_GAME_ADDRESSES is not right: ${problem}.`, {
    exit: 'usage',
  });
}
