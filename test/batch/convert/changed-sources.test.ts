import { renameSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type BatchResult, convert, SkinClient } from '../../../src/index.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { runHosted } from '../../support/hosted/run-hosted.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

test('A file that is edited before its second attempt fails, and the other sources are made', async () => {
  const folder = await ownFolder();
  const files = [1, 2, 3].map((number) => join(folder, `skin-${number}.png`));
  for (const [index, file] of files.entries()) await writeFile(file, skinPng(index + 1));
  const edited = join(folder, 'edited.png');
  await writeFile(edited, skinPng(9));
  const first = pixelHash(drawSkin(1));
  const fails = { kind: 'fails', times: 1, code: 'skin_change_failed' } as const;
  const { url, key } = await runHosted({
    serviceTime: 50,
    fate: (pixels) => (pixels === first ? fails : undefined),
  });
  const client = new SkinClient({ baseUrl: url, apiKey: key });
  onTestFinished(async () => await client.close());
  const results: BatchResult[] = [];
  let isEdited = false;
  const summary = await convert({
    client,
    sources: files,
    stateDir: join(folder, 'state'),
    pollInterval: 50,
    deliver: (result) => void results.push(result),
    onEvent: ({ type }) => {
      if (isEdited || type !== 'accepted') return;
      isEdited = true;
      renameSync(edited, files[0]!); // a file that is half written would be an invalid picture
    },
  });
  expect(summary).toMatchObject({ end: 'complete', made: 2, failed: 1, left: 0 });
  expect(results.find(({ error }) => error)).toMatchObject({
    source: files[0],
    error: { code: 'source_changed', hint: 'Run it again.' },
  });
});
