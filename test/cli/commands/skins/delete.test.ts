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
    [['a', '--undress'], ['a'], { undress: true }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});

const UUID = 'a'.repeat(32);
/** A service without player names. */
const NO_NAMES = {
  expect: `GET /v2/me/players?skins=${UUID}&size=6`,
  status: 404,
  json: { success: false, errors: [{ code: 'not_found', message: 'Not found.' }] },
};

describe('skins delete', () => {
  test.each([
    ['y\n', 1, 0],
    ['n\n', 0, 1],
  ])('asks on a terminal and understands the answer %j', async (stdin, requests, status) => {
    const script = [{ expect: `DELETE /v2/skins/${UUID}`, json: { success: true } }].slice(0, requests);
    const { client } = await testClient([NO_NAMES, ...script]);
    const { context, out, err } = contextWith(client, { stdin, canPrompt: true, errTTY: true });
    expect(await skinsDelete.run([UUID], {}, context)).toBe(status);
    expect(err()).toContain(`Delete the skin ${UUID}? This cannot be undone. [y/N]`);
    expect(out()).toBe(requests === 1 ? `${UUID}\n` : '');
  });

  const asked = `GET /v2/me/players?skins=${UUID}&size=6`;
  const listing = (...names: string[]) => {
    const changedAt = '2026-01-01T00:00:00.000Z';
    const players = names.map((name) => ({ name, id: '0'.repeat(32), changedAt }));
    return { expect: asked, json: { success: true, players } };
  };

  test.each([
    [['Steve'], false, 'Steve goes on wearing it (--undress takes it off).'],
    [['Alex', 'Steve'], false, 'Alex and Steve go on wearing it (--undress takes it off).'],
    [['Alex', 'Steve'], true, 'Alex and Steve wear it and show nothing afterwards.'],
    [
      ['A', 'B', 'C', 'D', 'E', 'F'],
      false,
      'A, B, C, D, E and others go on wearing it (--undress takes it off).',
    ],
  ])('says before asking that %j wear the skin; with --undress: %j', async (names, undress, sentence) => {
    const path = `/v2/skins/${UUID}${undress ? '?undress=true' : ''}`;
    const script = [listing(...names), { expect: `DELETE ${path}`, json: { success: true } }];
    const { client } = await testClient(script);
    const { context, err } = contextWith(client, { stdin: 'y\n', canPrompt: true, errTTY: true });
    expect(await skinsDelete.run([UUID], { undress }, context)).toBe(0);
    expect(err()).toContain(`Delete the skin ${UUID}? This cannot be undone. ${sentence} [y/N]`);
  });

  test('undresses players in the same request that deletes several skins', async () => {
    const uuids = [UUID, 'b'.repeat(32)];
    const json = { success: true, deleted: uuids, missing: [] };
    const { client, server } = await testClient([{ expect: 'POST /v2/me/skins/delete', json }]);
    const { context } = contextWith(client);
    expect(await skinsDelete.run(uuids, { yes: true, undress: true }, context)).toBe(0);
    expect(JSON.parse(String(server.seen[0]?.body))).toEqual({ skins: uuids, undress: true });
  });

  test('says on a terminal what was deleted', async () => {
    const { client } = await testClient([{ expect: `DELETE /v2/skins/${UUID}`, json: { success: true } }]);
    const { context, out } = contextWith(client, { outTTY: true });
    expect(await skinsDelete.run([UUID], { yes: true }, context)).toBe(0);
    expect(out()).toBe(`✔ Deleted ${UUID}\n`);
  });

  test('deletes several in one request and names the skins that are missing', async () => {
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
