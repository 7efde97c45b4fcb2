import { describe, expect, test } from 'vitest';
import { runSkinsList } from '../../../../../src/cli/commands/skins/list.ts';
import type { CommandContext } from '../../../../../src/cli/context/context.ts';
import { Messages } from '../../../../../src/cli/terminal/messages.ts';
import { SkinClient, type SkinPage } from '../../../../../src/index.ts';
import { testIo } from '../../../../support/cli/test-io.ts';
import { testClient } from '../../../../support/client/test-client.ts';

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

describe('skins list', () => {
  test.each([
    [65, 'Showing 30 of 65 skins: --limit 65\n'],
    [undefined, 'Showing 30 skins of more: --limit 300\n'],
  ])('says what it leaves out, of how many where that is told: %s', async (total, note) => {
    const skins = Array.from({ length: 30 }, () => ({ uuid: UUID }));
    const links = { next: '/v2/me/skins?after=x' };
    const { client } = await testClient([
      { expect: 'GET /v2/me/skins?size=30', json: { success: true, skins, links, total } },
    ]);
    const { context, err } = depsOf(client);
    expect([await runSkinsList({}, context), err()]).toEqual([0, note]);
  });

  /** Pages of a search that finds nothing for long. */
  class SlowSearch extends SkinClient {
    pages = 0;
    readonly last: number;

    constructor(last: number) {
      super({ baseUrl: 'http://127.0.0.1:9' });
      this.last = last;
    }

    override async ownSkins(): Promise<SkinPage> {
      this.pages++;
      const item = { uuid: UUID, visibility: 'public', variant: 'slim', views: 0 } as const;
      return { skins: this.pages === this.last ? [item] : [], next: String(this.pages) };
    }
  }

  test('goes on through pages without a skin', async () => {
    const { context, out } = depsOf(new SlowSearch(20));
    await runSkinsList({ limit: 1 }, context);
    expect(out()).toMatch(UUID);
  });

  test('does not go on for ever', async () => {
    const client = new SlowSearch(0);
    await runSkinsList({}, depsOf(client).context);
    expect(client.pages).toBeLessThanOrEqual(1_000);
  });
});
