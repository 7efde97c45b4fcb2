import { register as create } from '../../../src/cli/commands/capes/create.ts';
import { register as deleteCapes } from '../../../src/cli/commands/capes/delete.ts';
import { register as edit } from '../../../src/cli/commands/capes/edit.ts';
import { register as list } from '../../../src/cli/commands/capes/list.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('capes list', list, {
  taken: [
    [[], {}],
    [['--all'], { all: true }],
  ],
  refused: [[['x'], /too many arguments/]],
});

describeParsing('capes create', create, {
  taken: [
    [['red.png'], 'red.png', {}],
    [['red.png', '--alias', 'Red', '--hidden'], 'red.png', { alias: 'Red', hidden: true }],
  ],
  refused: [
    [[], /missing required argument 'file'/],
    [['a.png', 'b.png'], /too many arguments/],
    [['a.png', '--alias'], /argument missing/],
  ],
});

describeParsing('capes edit', edit, {
  taken: [
    [['Red'], 'Red', {}],
    [['Red', '--alias', 'Crimson', '--hide'], 'Red', { alias: 'Crimson', hide: true }],
    [['Red', '--show'], 'Red', { show: true }],
  ],
  refused: [
    [[], /missing required argument 'cape'/],
    [['Red', '--show', '--hide'], /cannot be used with/],
  ],
});

describeParsing('capes delete', deleteCapes, {
  taken: [
    [
      ['Red', 'Blue'],
      ['Red', 'Blue'],
    ],
  ],
  refused: [[[], /missing required argument 'cape'/]],
});
