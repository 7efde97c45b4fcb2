import { type Command, Option } from 'commander';
import { PICTURE_CHOICES, type PictureChoice, pictureStyle } from '../output/picture/style.ts';
import type { TerminalPictures } from '../output/picture/terminal-picture.ts';
import type { OutputStream } from '../terminal/io.ts';

export interface TypedPictureOption {
  readonly picture?: PictureChoice;
}

export function addPictureOption(command: Command): Command {
  const text = 'how to draw the skin in a terminal';
  return command.addOption(
    new Option('--picture <style>', text).choices(PICTURE_CHOICES).default(undefined, 'auto'),
  );
}

/** How to draw images on a stream; undefined: not at all. */
export function terminalPictures(
  choice: PictureChoice | undefined,
  stream: OutputStream,
  env: NodeJS.ProcessEnv,
): TerminalPictures | undefined {
  const style = pictureStyle(choice ?? 'auto', stream, env);
  return style && { style, depth: stream.isTTY ? stream.colorDepth : 24, columns: stream.columns };
}
