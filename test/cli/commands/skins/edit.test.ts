import { describe, expect, test } from 'vitest';
import { skinsEdit } from '../../../../src/cli/commands/skins.ts';
import { contextWith } from '../../../support/cli/client-context.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { testClient } from '../../../support/client/test-client.ts';

describeParsing('skins edit', skinsEdit, {
  taken: [
    [['a', '--name', 'x'], ['a'], { name: 'x' }],
    [['a', '--name', '', '--visibility', 'private'], ['a'], { name: '', visibility: 'private' }],
    [['a', 'b', '--name', 'x'], ['a', 'b'], { name: 'x' }],
  ],
  refused: [
    [['--name', 'x'], /missing required argument 'uuid'/],
    [['a', '--visibility', 'secret'], /Allowed choices are public, unlisted, private/],
  ],
});

describe('skins edit', () => {
  test('prints a table on a terminal', async () => {
    const uuid = 'a'.repeat(32);
    const skins = [{ uuid, name: 'x', visibility: 'private', variant: 'slim', views: 0 }];
    const { client } = await testClient([
      { expect: 'PATCH /v2/me/skins', json: { success: true, skins, missing: [] } },
    ]);
    const { context, out } = contextWith(client, { outTTY: true });
    expect(await skinsEdit.run([uuid, uuid], { name: 'x' }, context)).toBe(0);
    expect(
      out()
        .split('\n')
        .map((line) => line.split(/ +/)),
    ).toEqual([['UUID', 'VARIANT', 'VISIBILITY', 'NAME'], [uuid, 'slim', 'private', 'x'], ['']]);
  });

  test('changes 130 skins in two requests and names the skins that are missing', async () => {
    const uuids = Array.from({ length: 130 }, (_, n) => n.toString(16).padStart(32, '0'));
    const [first = '', ...others] = uuids;
    const skin = (uuid: string) => ({ uuid, name: 'x', visibility: 'private', variant: 'slim', views: 0 });
    const answers = [others.slice(0, 127), others.slice(127)].map((some) => some.map(skin));
    const { client, server } = await testClient([
      { expect: 'PATCH /v2/me/skins', json: { success: true, skins: answers[0], missing: [first] } },
      { expect: 'PATCH /v2/me/skins', json: { success: true, skins: answers[1], missing: [] } },
    ]);
    const { context, out, err } = contextWith(client);
    expect(await skinsEdit.run(uuids, { name: 'x', visibility: 'private' }, context)).toBe(1);
    expect(out()).toBe(others.map((uuid) => `${uuid}\tslim\tprivate\tx\n`).join(''));
    expect(err()).toContain(`No skin ${first}.`);
    const bodies = server.seen.map(({ body }) => JSON.parse(body.toString()) as object);
    const edit = { name: 'x', visibility: 'private' };
    expect(bodies).toEqual([
      { skins: uuids.slice(0, 128), ...edit },
      { skins: uuids.slice(128), ...edit },
    ]);
  });
});
