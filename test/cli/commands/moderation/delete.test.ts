import { describe, expect, test } from 'vitest';
import { moderationDelete } from '../../../../src/cli/commands/moderation.ts';
import { contextWith } from '../../../support/cli/client-context.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { testClient } from '../../../support/client/test-client.ts';

describeParsing('moderation delete', moderationDelete, {
  taken: [
    [['a', 'b'], ['a', 'b'], {}],
    [['a', '--note', 'why', '--yes'], ['a'], { note: 'why', yes: true }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});

const UUID = 'a'.repeat(32);

describe('moderation delete', () => {
  test.each([
    ['y\n', 1, 0, `Deleted skin ${UUID}.`],
    ['n\n', 0, 1, 'Nothing was deleted.'],
  ])('asks on a terminal and understands the answer %j', async (stdin, requests, status, end) => {
    const script = [{ expect: `DELETE /v2/account/skins/${UUID}?note=`, json: { success: true } }];
    const { client } = await testClient(script.slice(0, requests));
    const { context, err } = contextWith(client, { stdin, canPrompt: true, errTTY: true });
    expect(await moderationDelete.run([UUID], {}, context)).toBe(status);
    expect(err()).toContain(`Delete the skin ${UUID}? This cannot be undone. [y/N]`);
    expect(err()).toContain(end);
  });

  test('asks nothing with --yes, and requires it without a terminal', async () => {
    const script = [{ expect: `DELETE /v2/account/skins/${UUID}?note=`, json: { success: true } }];
    const { context, err } = contextWith((await testClient(script)).client);
    await expect(moderationDelete.run([UUID], {}, context)).rejects.toMatchObject({ code: 'cannot_ask' });
    expect(await moderationDelete.run([UUID], { yes: true }, context)).toBe(0);
    expect(err()).not.toContain('[y/N]');
  });
});
