import { register as add } from '../../../src/cli/commands/capes/add.ts';
import { register as change } from '../../../src/cli/commands/capes/change.ts';
import { register as list } from '../../../src/cli/commands/capes/list.ts';
import { register as remove } from '../../../src/cli/commands/capes/remove.ts';
import { describeParsing } from './parsing.ts';

describeParsing('capes list', list, {
  taken: [
    [[], {}],
    [['--all'], { all: true }],
  ],
  refused: [[['x'], /too many arguments/]],
});

describeParsing('capes add', add, {
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

describeParsing('capes change', change, {
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

describeParsing('capes remove', remove, {
  taken: [
    [
      ['Red', 'Blue'],
      ['Red', 'Blue'],
    ],
  ],
  refused: [[[], /missing required argument 'cape'/]],
});
