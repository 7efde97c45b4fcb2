import { describe, expect, test } from 'vitest';
import { register, runSkinsDelete } from '../../../../src/cli/commands/skins/delete.ts';
import type { CommandContext } from '../../../../src/cli/context/context.ts';
import { Messages } from '../../../../src/cli/terminal/messages.ts';
import type { SkinClient } from '../../../../src/index.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { testIo } from '../../../support/cli/test-io.ts';
import { testClient } from '../../../support/client/test-client.ts';

describeParsing('skins delete', register, {
  taken: [
    [['a', 'b'], { uuids: ['a', 'b'] }],
    [['a', '--yes'], { uuids: ['a'], yes: true }],
    [['a', '-y'], { uuids: ['a'], yes: true }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});

const UUID = 'a'.repeat(32);

/** What commands work with when the service is this client. */
function depsOf(client: SkinClient, options: Parameters<typeof testIo>[0] = {}) {
  const { io, out, err } = testIo(options);
  const { signal } = new AbortController();
  const connection = { client, isEmbedded: false, hasKey: true, close: async () => {} };
  const context = {
    io,
    signal,
    flags: {},
    messages: new Messages(io, {}),
    seenNames: { add: async () => {} },
    settings: async () => ({}),
    connect: async () => connection,
  };
  return { context: context as unknown as CommandContext, out, err };
}

describe('skins delete', () => {
  test.each([
    ['y\n', 1, 0],
    ['n\n', 0, 1],
  ])('asks on a terminal and takes %j for an answer', async (stdin, requests, status) => {
    const script = [{ expect: `DELETE /v2/skins/${UUID}`, json: { success: true } }].slice(0, requests);
    const { client } = await testClient(script);
    const { context, out, err } = depsOf(client, { stdin, canPrompt: true, errTTY: true });
    expect(await runSkinsDelete({ uuids: [UUID] }, context)).toBe(status);
    expect(err()).toContain(`Delete the skin ${UUID}? This cannot be undone. [y/N]`);
    expect(out()).toBe(requests === 1 ? `${UUID}\n` : '');
  });
});
