import { register } from '../../../src/cli/commands/verify.ts';
import { describeParsing } from '../../support/cli/parsing.ts';

describeParsing('verify', register, {
  taken: [
    [['skins.lock'], { files: ['skins.lock'] }],
    [['a', 'b', '--key', 'k.pem', '--offline'], { files: ['a', 'b'], key: 'k.pem', offline: true }],
  ],
  refused: [[[], /missing required argument 'file'/]],
});
