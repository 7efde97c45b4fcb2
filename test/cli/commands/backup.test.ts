import { backup, restore, storeCopy } from '../../../src/cli/commands/backup.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('backup', backup, {
  taken: [
    [['it.backup'], 'it.backup', {}],
    [['--out', 'it.backup', '--data', '/d'], undefined, { out: 'it.backup', data: '/d' }],
    [['--verify', 'it.backup'], 'it.backup', { verify: true }],
  ],
  refused: [
    [[''], /must not be empty/],
    [['--out', ''], /must not be empty/],
    [['a', 'b'], /too many arguments/],
    [['a', '--data', ''], /must not be empty/],
  ],
});

describeParsing('restore', restore, {
  taken: [
    [['it.backup'], 'it.backup', {}],
    [['it.backup', '--data', '/d', '--move-aside'], 'it.backup', { data: '/d', moveAside: true }],
    [['it.backup', '--force'], 'it.backup', { force: true }],
  ],
  refused: [
    [[], /missing required argument 'file'/],
    [['a', '--data', ''], /must not be empty/],
  ],
});

describeParsing('store copy', storeCopy, {
  taken: [
    [['data', 'postgres://skins@db/skins'], 'data', 'postgres://skins@db/skins'],
    [['postgres://skins@db/skins', 'data'], 'postgres://skins@db/skins', 'data'],
  ],
  refused: [
    [[], /missing required argument 'from'/],
    [['data'], /missing required argument 'to'/],
    [['', 'data'], /must not be empty/],
    [['a', 'b', 'c'], /too many arguments/],
  ],
});
