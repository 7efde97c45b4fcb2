import { register } from '../../../src/cli/commands/queue.ts';
import {
  badSkinOptions,
  batchOptions,
  batchValues,
  skinOptions,
  skinValues,
} from '../../support/cli/batch-parsing.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('queue', register, {
  taken: [
    [['a.png'], { sources: ['a.png'], verify: true }],
    [
      ['a', 'b', ...skinOptions, '--format', 'property', '--ndjson', '--wait', '--slots', '3'],
      {
        sources: ['a', 'b'],
        ...skinValues,
        format: 'property',
        ndjson: true,
        wait: true,
        slots: '3',
        verify: true,
      },
    ],
    [['a', ...batchOptions, '--wait'], { sources: ['a'], ...batchValues, wait: true }],
  ],
  refused: [...badSkinOptions, [['a.png', '--slots'], /argument missing/]],
});
