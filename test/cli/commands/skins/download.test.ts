import { describe, expect, test } from 'vitest';
import { register, runSkinsDownload } from '../../../../src/cli/commands/skins/download.ts';
import type { CommandContext } from '../../../../src/cli/context/context.ts';
import { Messages } from '../../../../src/cli/terminal/messages.ts';
import type { SkinClient } from '../../../../src/index.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { testIo } from '../../../support/cli/test-io.ts';
import { makeSkin } from '../../../support/client/answers.ts';
import { testClient } from '../../../support/client/test-client.ts';

describeParsing('skins download', register, {
  taken: [
    [['a'], { uuids: ['a'] }],
    [['a', 'b', '--out', 'there'], { uuids: ['a', 'b'], out: 'there' }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});

const UUID = 'a'.repeat(32);

const SKIN = makeSkin({ uuid: UUID });

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

describe('skins download', () => {
  test('writes nothing that is no picture of a skin', async () => {
    const { client } = await testClient([
      { expect: `GET /v2/skins/${UUID}`, json: { success: true, skin: SKIN } },
      { expect: `GET /v2/skins/${UUID}/texture`, text: 'a page' },
    ]);
    const { context, out, err } = depsOf(client);
    expect(await runSkinsDownload({ uuids: [UUID], out: '/nowhere' }, context)).toBe(1);
    expect([out(), err()]).toEqual(['', expect.stringContaining('is not a skin')]);
  });
});
