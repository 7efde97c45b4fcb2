import { describe, expect, test } from 'vitest';
import { runSkinsDownload, skinsDownload } from '../../../../src/cli/commands/download.ts';
import { contextWith } from '../../../support/cli/client-context.ts';
import { describeParsing } from '../../../support/cli/parsing.ts';
import { makeSkin } from '../../../support/client/answers.ts';
import { testClient } from '../../../support/client/test-client.ts';

describeParsing('skins download', skinsDownload, {
  taken: [
    [['a'], ['a'], {}],
    [['a', 'b', '--out', 'there'], ['a', 'b'], { out: 'there' }],
  ],
  refused: [[[], /missing required argument 'uuid'/]],
});

const UUID = 'a'.repeat(32);

const SKIN = makeSkin({ uuid: UUID });

describe('skins download', () => {
  test.each(['skin.png', '/dev/null'])('does not treat %s as a folder, and sends no request', async (out) => {
    const { client } = await testClient([]);
    const download = runSkinsDownload([UUID], { out }, contextWith(client).context);
    await expect(download).rejects.toMatchObject({ code: 'not_a_folder', exit: 'usage' });
  });

  test('writes nothing that is not a picture of a skin', async () => {
    const { client } = await testClient([
      { expect: `GET /v2/skins/${UUID}`, json: { success: true, skin: SKIN } },
      { expect: `GET /v2/skins/${UUID}/texture`, text: 'a page' },
    ]);
    const { context, out, err } = contextWith(client);
    expect(await runSkinsDownload([UUID], { out: '/nowhere' }, context)).toBe(1);
    expect([out(), err()]).toEqual(['', expect.stringContaining('is not a skin')]);
  });
});
