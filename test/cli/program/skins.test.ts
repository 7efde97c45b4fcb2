import { describe, expect, test } from 'vitest';
import { runSkinsDownload } from '../../../src/cli/commands/download.ts';
import { skinsDelete, skinsEdit, skinsList } from '../../../src/cli/commands/skins.ts';
import type { CommandContext } from '../../../src/cli/context/context.ts';
import { contextWith } from '../../support/cli/client-context.ts';
import { refusal } from '../../support/client/answers.ts';
import type { Exchange } from '../../support/client/scripted-server.ts';
import { testClient } from '../../support/client/test-client.ts';

const UUID = 'a'.repeat(32);

/** Nothing may be asked for: whatever is looked at is not there. */
const nothing = { flags: {} } as CommandContext;

describe('A command that makes no sense', () => {
  test.each<[string, () => Promise<number>, string]>([
    ['no UUID to change', () => skinsEdit.run(['none'], { name: 'a' }, nothing), 'not_a_uuid'],
    ['nothing to change', () => skinsEdit.run([UUID], {}, nothing), 'nothing_to_change'],
    ['a bad name', () => skinsEdit.run([UUID], { name: 'a/b' }, nothing), 'invalid_name'],
    ['no UUID to download', () => runSkinsDownload([UUID, '-'], {}, nothing), 'not_a_uuid'],
    ['no UUID to delete', () => skinsDelete.run(['../x'], { yes: true }, nothing), 'not_a_uuid'],
  ])('is refused before any request: %s', async (_, run, code) => {
    await expect(run()).rejects.toMatchObject({ code, exit: 'usage' });
  });
});

describe('A service that cannot list or change skins', () => {
  const answers: [what: string, answer: Partial<Exchange>][] = [
    ['a page', { status: 404, text: '<html>Cannot PATCH' }],
    ['a refusal', { status: 404, json: refusal('not_found') }],
    ['405', { status: 405, json: refusal('method_not_allowed') }],
  ];
  test.each(answers)('is named in the error when it answers with %s', async (_, answer) => {
    const { client } = await testClient([
      { expect: `PATCH /v2/skins/${UUID}`, ...answer },
      { expect: `DELETE /v2/skins/${UUID}`, ...answer },
      { expect: 'GET /v2/me/skins?size=30', ...answer },
    ]);
    const { context } = contextWith(client);
    await expect(skinsEdit.run([UUID], { name: 'a' }, context)).rejects.toMatchObject({
      code: 'not_offered',
      message: 'This service cannot edit skins.',
    });
    await expect(skinsDelete.run([UUID], { yes: true }, context)).rejects.toMatchObject({
      code: 'not_offered',
      message: 'This service cannot delete skins.',
    });
    await expect(skinsList.run({}, context)).rejects.toMatchObject({
      code: 'not_offered',
      message: 'This service cannot list your skins.',
    });
  });

  test('is distinguished from one without the skin and one with a temporary failure', async () => {
    for (const [status, code] of [
      [404, 'skin_not_found'],
      [403, 'insufficient_grants'],
    ] as const) {
      const { client } = await testClient([
        { expect: `PATCH /v2/skins/${UUID}`, status, json: refusal(code) },
      ]);
      const { context } = contextWith(client);
      await expect(skinsEdit.run([UUID], { name: 'a' }, context)).rejects.toMatchObject({ code });
    }
  });
});
