import { expect, test } from 'vitest';
import { pictureStyle } from '../../../../src/cli/output/terminal-picture.ts';

const TERMINAL = { isTTY: true, hasColor: true, colorDepth: 24 };

test.each([
  ['a plain terminal', {}, 'blocks'],
  ['kitty', { TERM: 'xterm-kitty' }, 'kitty'],
  ['kitty by its window', { KITTY_WINDOW_ID: '1' }, 'kitty'],
  ['Ghostty', { TERM_PROGRAM: 'ghostty' }, 'kitty'],
  ['iTerm2', { TERM_PROGRAM: 'iTerm.app' }, 'iterm'],
  ['iTerm2 over SSH', { LC_TERMINAL: 'iTerm2' }, 'iterm'],
  ['WezTerm', { TERM_PROGRAM: 'WezTerm' }, 'iterm'],
  ['tmux in kitty', { TERM: 'tmux-256color', KITTY_WINDOW_ID: '1' }, 'blocks'],
  ['tmux that keeps the name', { TERM: 'xterm-kitty', TMUX: '/tmp/tmux-0/default,1,0' }, 'blocks'],
  ['screen in iTerm2', { TERM: 'screen', TERM_PROGRAM: 'iTerm.app' }, 'blocks'],
])('auto draws with the best means that %s offers', (_, env, style) => {
  expect(pictureStyle('auto', TERMINAL, env)).toBe(style);
});

test.each([
  ['a pipe', { isTTY: false }],
  ['a terminal without colours', { hasColor: false }],
])('auto draws nothing in %s', (_, stream) => {
  expect(pictureStyle('auto', { ...TERMINAL, ...stream }, { KITTY_WINDOW_ID: '1' })).toBeUndefined();
});

test('auto draws in 16 colours only where the terminal shows images itself, as Ghostty does over SSH', () => {
  const terminal = { ...TERMINAL, colorDepth: 4 };
  expect(pictureStyle('auto', terminal, { TERM: 'xterm' })).toBeUndefined();
  expect(pictureStyle('auto', terminal, { TERM: 'xterm-ghostty' })).toBe('kitty');
});

test('a typed style applies, whatever the terminal says', () => {
  const pipe = { isTTY: false, hasColor: false, colorDepth: 1 };
  expect(pictureStyle('iterm', pipe, {})).toBe('iterm');
  expect(pictureStyle('none', TERMINAL, { KITTY_WINDOW_ID: '1' })).toBeUndefined();
});
