import { generate } from '../../../src/cli/commands/generate.ts';
import {
  badSkinOptions,
  batchOptions,
  batchValues,
  skinOptions,
  skinValues,
} from '../../support/cli/batch-parsing.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('generate', generate, {
  taken: [
    [['a.png'], ['a.png'], { verify: true }],
    [['a.png', '-', 'folder'], ['a.png', '-', 'folder'], { verify: true }],
    [
      ['a.png', ...skinOptions, '--format', 'value,give-1.16', '--ndjson'],
      ['a.png'],
      { ...skinValues, format: 'value,give-1.16', ndjson: true, verify: true },
    ],
    [['--variant', 'auto', '--', '--odd.png'], ['--odd.png'], { variant: 'auto', verify: true }],
    [['a', ...batchOptions], ['a'], { ...batchValues }],
    [['--from', 'list'], [], { from: ['list'], verify: true }],
  ],
  refused: badSkinOptions,
});
