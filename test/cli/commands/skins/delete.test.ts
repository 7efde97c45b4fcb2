import { describe, expect, test } from 'vitest';
import { skinsDelete } from '../../../../src/cli/commands/skins.ts';
import { contextWith } from '../../../support/cli/client-context.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { testClient } from '../../../support/client/test-client.ts';

describeParsing('skins delete', skinsDelete, {
  taken: [
    [['a', 'b'], ['a', 'b'], {}],
    [['a', '--yes'], ['a'], { yes: true }],
    [['a', '-y'], ['a'], { yes: true }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});

const UUID = 'a'.repeat(32);

describe('skins delete', () => {
  test.each([
    ['y\n', 1, 0],
    ['n\n', 0, 1],
  ])('asks on a terminal and takes %j for an answer', async (stdin, requests, status) => {
    const script = [{ expect: `DELETE /v2/skins/${UUID}`, json: { success: true } }].slice(0, requests);
    const { client } = await testClient(script);
    const { context, out, err } = contextWith(client, { stdin, canPrompt: true, errTTY: true });
    expect(await skinsDelete.run([UUID], {}, context)).toBe(status);
    expect(err()).toContain(`Delete the skin ${UUID}? This cannot be undone. [y/N]`);
    expect(out()).toBe(requests === 1 ? `${UUID}\n` : '');
  });

  test('says on a terminal what was deleted', async () => {
    const { client } = await testClient([{ expect: `DELETE /v2/skins/${UUID}`, json: { success: true } }]);
    const { context, out } = contextWith(client, { outTTY: true });
    expect(await skinsDelete.run([UUID], { yes: true }, context)).toBe(0);
    expect(out()).toBe(`✔ Deleted ${UUID}\n`);
  });

  test('deletes several in one request and names those that are missing', async () => {
    const [there, gone] = [UUID, 'b'.repeat(32)];
    const { client, server } = await testClient([
      { expect: 'POST /v2/me/skins/delete', json: { success: true, deleted: [there], missing: [gone] } },
    ]);
    const { context, out, err } = contextWith(client);
    expect(await skinsDelete.run([gone, there], { yes: true }, context)).toBe(1);
    expect([out(), err()]).toEqual([`${there}\n`, expect.stringContaining(`No skin ${gone}.`)]);
    expect(JSON.parse(String(server.seen[0]?.body))).toEqual({ skins: [gone, there] });
  });
});
