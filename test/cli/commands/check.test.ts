import { register } from '../../../src/cli/commands/check.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('check', register, {
  taken: [
    [['a.png'], { paths: ['a.png'] }],
    [['a.png', '-', 'folder'], { paths: ['a.png', '-', 'folder'] }],
    [['a', '-r', '--ignore', 'b'], { paths: ['a'], recursive: true, ignore: ['b'] }],
  ],
  refused: [[[], /missing required argument 'path'/]],
});
