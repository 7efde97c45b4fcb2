import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { makeSetup } from '../../../support/cli/setup.ts';

describe('The check of the program', () => {
  test('says which versions run', async () => {
    const { setup } = await makeSetup();
    const found = await CHECKS.program.look(setup);
    expect(found.detail).toContain(`Node ${process.versions.node}`);
    expect(found.result).toBe('ok');
  });
});
