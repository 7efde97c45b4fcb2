import { status } from '../../../../src/cli/commands/jobs.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';

describeParsing('status', status, {
  taken: [
    [['1'], ['1'], {}],
    [['1', '2', '--wait', '--format', 'json'], ['1', '2'], { wait: true, format: 'json' }],
  ],
  refused: [
    [[], /missing required argument 'job'/],
    [[''], /must not be empty/],
    [['1', '--format', 'xml'], /Unknown format xml/],
    [['1', '--ndjson'], /unknown option/],
  ],
});
