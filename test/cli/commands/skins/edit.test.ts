import { register } from '../../../../src/cli/commands/skins/edit.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('skins edit', register, {
  taken: [
    [['a', '--name', 'x'], { uuid: 'a', name: 'x' }],
    [['a', '--name', '', '--visibility', 'private'], { uuid: 'a', name: '', visibility: 'private' }],
  ],
  refused: [
    [['--name', 'x'], /missing required argument 'uuid'/],
    [['a', '--visibility', 'secret'], /Allowed choices are public, unlisted, private/],
    [['a', 'b', '--name', 'x'], /too many arguments/],
  ],
});
