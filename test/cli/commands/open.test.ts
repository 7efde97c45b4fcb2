import { open } from '../../../src/cli/commands/open.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('open', open, {
  taken: [
    [[], { browser: true }],
    [['--no-browser', '--data', '/d', '--port', '0'], { browser: false, data: '/d', port: 0 }],
    [['--store', 'postgres://h/d'], { browser: true, store: 'postgres://h/d' }],
    [
      ['--store', 'postgres://h/d', '--store-pooler'],
      { browser: true, store: 'postgres://h/d', storePooler: true },
    ],
  ],
  refused: [
    [['a'], /too many arguments/],
    [['--data', ''], /must not be empty/],
    [['--port', 'http'], /whole number/],
  ],
});
