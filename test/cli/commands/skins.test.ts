import { describe, expect, test } from 'vitest';
import { runSkinsDelete } from '../../../src/cli/commands/skins/delete.ts';
import { runSkinsDownload } from '../../../src/cli/commands/skins/download.ts';
import { runSkinsEdit } from '../../../src/cli/commands/skins/edit.ts';
import { runSkinsList } from '../../../src/cli/commands/skins/list.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { Messages } from '../../../src/cli/terminal/messages.ts';
import { SkinClient, type SkinPage } from '../../../src/index.ts';
import { testIo } from '../../support/cli/test-io.ts';
import { makeSkin, refusal } from '../../support/client/answers.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';
import { testClient } from '../../support/client/test-client.ts';

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

/** Nothing may be asked for: whatever is looked at is not there. */
const nothing = {} as CommandContext;

describe('What makes no sense', () => {
  test.each<[string, () => Promise<number>, string]>([
    ['no UUID to change', () => runSkinsEdit({ uuid: 'none', name: 'a' }, nothing), 'not_a_uuid'],
    ['nothing to change', () => runSkinsEdit({ uuid: UUID }, nothing), 'nothing_to_change'],
    ['a bad name', () => runSkinsEdit({ uuid: UUID, name: 'a/b' }, nothing), 'invalid_name'],
    ['no UUID to download', () => runSkinsDownload({ uuids: [UUID, '-'] }, nothing), 'not_a_uuid'],
    ['no UUID to delete', () => runSkinsDelete({ uuids: ['../x'], yes: true }, nothing), 'not_a_uuid'],
  ])('is refused before anything is asked: %s', async (_, run, code) => {
    await expect(run()).rejects.toMatchObject({ code, exit: 'usage' });
  });
});

describe('A service that does not offer it', () => {
  const answers: [what: string, answer: Partial<Exchange>][] = [
    ['a page', { status: 404, text: '<html>Cannot PATCH' }],
    ['a refusal', { status: 404, json: refusal('not_found') }],
    ['405', { status: 405, json: refusal('method_not_allowed') }],
  ];
  test.each(answers)('is named as such when it answers with %s', async (_, answer) => {
    const { client } = await testClient([
      { expect: `PATCH /v2/skins/${UUID}`, ...answer },
      { expect: `DELETE /v2/skins/${UUID}`, ...answer },
      { expect: 'GET /v2/me/skins?size=30', ...answer },
    ]);
    const { context } = depsOf(client);
    await expect(runSkinsEdit({ uuid: UUID, name: 'a' }, context)).rejects.toMatchObject({
      code: 'not_offered',
      message: 'This service does not offer changing skins.',
    });
    await expect(runSkinsDelete({ uuids: [UUID], yes: true }, context)).rejects.toMatchObject({
      code: 'not_offered',
      message: 'This service does not offer deleting skins.',
    });
    await expect(runSkinsList({}, context)).rejects.toMatchObject({
      code: 'not_offered',
      message: 'This service does not offer lists of one’s own skins.',
    });
  });

  test('is not one that has no such skin, or is in trouble', async () => {
    for (const [status, code] of [
      [404, 'skin_not_found'],
      [403, 'insufficient_grants'],
    ] as const) {
      const { client } = await testClient([
        { expect: `PATCH /v2/skins/${UUID}`, status, json: refusal(code) },
      ]);
      const { context } = depsOf(client);
      await expect(runSkinsEdit({ uuid: UUID, name: 'a' }, context)).rejects.toMatchObject({ code });
    }
  });
});

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

describe('skins download', () => {
  test('writes nothing that is no picture of a skin', async () => {
    const { client } = await testClient([
      { expect: `GET /v2/skins/${UUID}`, json: { success: true, skin: SKIN } },
      { expect: `GET /v2/skins/${UUID}/texture`, text: 'a page' },
    ]);
    const { context, out, err } = depsOf(client);
    expect(await runSkinsDownload({ uuids: [UUID], out: '/nowhere' }, context)).toBe(1);
    expect([out(), err()]).toEqual(['', expect.stringContaining('is no picture of a skin')]);
  });
});

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
