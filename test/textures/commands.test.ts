import { expect, test } from 'vitest';
import {
  citizensCommand,
  giveCommand,
  giveCommand116,
  giveCommand1205,
  UnsafeSkinDataError,
} from '../../src/textures/commands.ts';

const COMMANDS = [giveCommand, giveCommand1205, giveCommand116, citizensCommand];

test('No command is made of data that could end it and begin another', () => {
  const good = { value: 'dmFsdWU=', signature: 'c2lnbmF0dXJl' };
  for (const make of COMMANDS) {
    expect(make(good)).toContain('dmFsdWU=');
    expect(() => make({ ...good, value: 'a"}]}] run op me' })).toThrow(UnsafeSkinDataError);
    expect(() => make({ ...good, signature: 'a\nop me' })).toThrow(UnsafeSkinDataError);
  }
});
