import { expect, test } from 'vitest';
import { GAME_VERSIONS } from '../../src/pack/games.ts';
import {
  giveCommand,
  giveCommand116,
  giveCommand1205,
  headCommand,
  mannequinCommand,
  type ProfileSkin,
  textObjectCommand,
  UnsafeSkinDataError,
} from '../../src/textures/commands.ts';

const COMMANDS = [giveCommand, giveCommand1205, giveCommand116];

test('No command is made of data that could end it and begin another', () => {
  const good = { value: 'dmFsdWU=', signature: 'c2lnbmF0dXJl' };
  for (const make of COMMANDS) {
    expect(make(good)).toContain('dmFsdWU=');
    expect(() => make({ ...good, value: 'a"}]}] run op me' })).toThrow(UnsafeSkinDataError);
    expect(() => make({ ...good, signature: 'a\nop me' })).toThrow(UnsafeSkinDataError);
  }
});

const URL = `http://textures.minecraft.net/texture/${'f'.repeat(64)}`;
const PACKED = { texture: `${'n'.repeat(32)}:entity/player/${'x'.repeat(80)}` };
const LOOKS: readonly ProfileSkin['look'][] = [{ url: URL }, PACKED];

/** Every form of a command for a skin, in the syntax that the version takes. */
function commandsFor(look: ProfileSkin['look'], name?: string): string[] {
  return (['classic', 'slim'] as const).flatMap((variant) => [
    headCommand({ name, variant, look }),
    mannequinCommand({ name, variant, look }),
    textObjectCommand({ look }),
  ]);
}

test('A command without a signature fits into a line of chat, whatever the skin is called', () => {
  for (const look of LOOKS) {
    for (const name of [undefined, 'Smith', 'x'.repeat(48), '\u202e"'.repeat(20)]) {
      for (const command of commandsFor(look, name)) {
        expect(`/${command}`.length).toBeLessThanOrEqual(256);
        expect(command).not.toMatch(/[\n\u202e]/);
      }
    }
  }
});

const VALUE = Buffer.from(`{"textures":{"SKIN":{"url":"${URL}"}}}`).toString('base64');

/** The same in all versions since the first that takes textures from packs; a change in Minecraft gets a row of its own. */
const SYNTAX = {
  '1.21.9': {
    head: 'give @p player_head[profile=PROFILE,custom_name={text:"Smith",italic:false}]',
    mannequin: 'summon mannequin ~ ~ ~ {profile:PROFILE,description:{text:"Smith"}}',
    message: 'tellraw @a {object:player,player:FACE}',
    packed: ['{texture:"npc:entity/player/smith",model:slim}', '{texture:"npc:entity/player/smith"}'],
    inline: [`{properties:{textures:["${VALUE}"]},model:slim}`, `{properties:{textures:["${VALUE}"]}}`],
  },
};

/** The newest syntax that is not newer than a version. */
const SINCE: Readonly<Record<string, keyof typeof SYNTAX>> = {
  '1.21.9': '1.21.9',
  '1.21.10': '1.21.9',
  '1.21.11': '1.21.9',
  '26.1': '1.21.9',
  '26.1.1': '1.21.9',
  '26.1.2': '1.21.9',
  '26.2': '1.21.9',
  '26.3': '1.21.9',
};

test.each(GAME_VERSIONS)('Minecraft %s takes a head, a mannequin and a face in a message', (version) => {
  const syntax = SYNTAX[SINCE[version]!];
  for (const [look, [profile, face]] of [
    [{ texture: 'npc:entity/player/smith' }, syntax.packed],
    [{ url: URL }, syntax.inline],
  ] as const) {
    const skin = { name: 'Smith', variant: 'slim', look } as const;
    const fits = (long: string, short: string) => (long.length > 255 ? short : long);
    const head = syntax.head.replace('PROFILE', profile!);
    const mannequin = syntax.mannequin.replace('PROFILE', profile!);
    expect(headCommand(skin)).toBe(fits(head, head.replace(',custom_name={text:"Smith",italic:false}', '')));
    expect(mannequinCommand(skin)).toBe(
      fits(mannequin, mannequin.replace(',description:{text:"Smith"}', '')),
    );
    expect(textObjectCommand(skin)).toBe(syntax.message.replace('FACE', face!));
  }
});
