import {
  type CommandSubject,
  citizensCommand as citizens,
  giveCommand as give,
  giveCommand116 as give116,
  giveCommand1205 as give1205,
  UnsafeSkinDataError,
} from '../../../textures/commands.ts';
import { CliError } from '../../errors/exit.ts';

type Command = (skin: CommandSubject) => string;

/** The commands of the formats. @throws CliError when the skin data is not base64 */
export const giveCommand: Command = (skin) => explained(() => give(skin));
export const giveCommand1205: Command = (skin) => explained(() => give1205(skin));
export const giveCommand116: Command = (skin) => explained(() => give116(skin));
export const citizensCommand: Command = (skin) => explained(() => citizens(skin));

function explained(make: () => string): string {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof UnsafeSkinDataError)) throw error;
    throw new CliError('invalid_skin_data', error.message, {
      hint: 'See what the service sent, with the format json.',
    });
  }
}
