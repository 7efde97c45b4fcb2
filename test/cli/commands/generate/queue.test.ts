import { queue } from '../../../../src/cli/commands/generate.ts';
import {
  badSkinOptions,
  batchOptions,
  batchValues,
  skinOptions,
  skinValues,
} from '../../../support/cli/batch-parsing.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('queue', queue, {
  taken: [
    [['a.png'], ['a.png'], { verify: true }],
    [
      ['a', 'b', ...skinOptions, '--format', 'property', '--ndjson', '--wait', '--slots', '3'],
      ['a', 'b'],
      { ...skinValues, format: 'property', ndjson: true, wait: true, slots: '3', verify: true },
    ],
    [['a', ...batchOptions, '--wait'], ['a'], { ...batchValues, wait: true }],
  ],
  refused: [...badSkinOptions, [['a.png', '--slots'], /argument missing/]],
});
