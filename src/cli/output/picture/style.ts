import type { OutputStream } from '../../terminal/io.ts';

/** How to draw images on a terminal. `blocks`: coloured half blocks, which every terminal with colours supports. */
export type PictureStyle = 'blocks' | 'kitty' | 'iterm';

export const PICTURE_CHOICES = ['auto', 'blocks', 'kitty', 'iterm', 'none'] as const;
export type PictureChoice = (typeof PICTURE_CHOICES)[number];

/**
 * The style to draw in; undefined: no image. `auto` draws on a terminal with colours, in the style that the terminal
 * announces, or else in blocks, which need at least 256 colours.
 */
export function pictureStyle(
  choice: PictureChoice,
  stream: Pick<OutputStream, 'isTTY' | 'hasColor' | 'colorDepth'>,
  env: NodeJS.ProcessEnv,
): PictureStyle | undefined {
  if (choice === 'none') return undefined;
  if (choice !== 'auto') return choice;
  if (!stream.isTTY || !stream.hasColor) return undefined;
  return nativeStyle(env) ?? (stream.colorDepth < 8 ? undefined : 'blocks');
}

/** Detects support from the terminal's own variables. tmux and screen only pass images on when configured to. */
function nativeStyle(env: NodeJS.ProcessEnv): 'kitty' | 'iterm' | undefined {
  const { TERM = '', TERM_PROGRAM = '', LC_TERMINAL = '' } = env;
  if (env['TMUX'] || env['STY'] || /^(?:screen|tmux)/.test(TERM)) return undefined;
  if (env['KITTY_WINDOW_ID'] || /^xterm-(?:kitty|ghostty)$/.test(TERM) || TERM_PROGRAM === 'ghostty')
    return 'kitty';
  if (/^(?:iTerm\.app|WezTerm|mintty)$/.test(TERM_PROGRAM) || LC_TERMINAL === 'iTerm2') return 'iterm';
  return undefined;
}
