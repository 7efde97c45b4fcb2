import { register } from '../../../src/cli/commands/generate.ts';
import {
  badSkinOptions,
  batchOptions,
  batchValues,
  skinOptions,
  skinValues,
} from '../../support/cli/batch-parsing.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('generate', register, {
  taken: [
    [['a.png'], { sources: ['a.png'], verify: true }],
    [['a.png', '-', 'folder'], { sources: ['a.png', '-', 'folder'], verify: true }],
    [
      ['a.png', ...skinOptions, '--format', 'value,give-1.16', '--ndjson'],
      { sources: ['a.png'], ...skinValues, format: 'value,give-1.16', ndjson: true, verify: true },
    ],
    [['--variant', 'auto', '--', '--odd.png'], { sources: ['--odd.png'], variant: 'auto', verify: true }],
    [['a', ...batchOptions], { sources: ['a'], ...batchValues }],
    [['--from', 'list'], { sources: [], from: ['list'], verify: true }],
  ],
  refused: badSkinOptions,
});
