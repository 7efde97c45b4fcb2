import { capesDelete, capesEdit, capesList } from '../../../src/cli/commands/capes.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('capes delete', capesDelete, {
  taken: [
    [
      ['Red', 'Blue'],
      ['Red', 'Blue'],
    ],
  ],
  refused: [[[], /missing required argument 'cape'/]],
});

describeParsing('capes edit', capesEdit, {
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

describeParsing('capes list', capesList, {
  taken: [
    [[], {}],
    [['--all'], { all: true }],
  ],
  refused: [[['x'], /too many arguments/]],
});
