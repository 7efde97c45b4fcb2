import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { download, runDownload } from '../../../src/cli/commands/download.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { enlarge } from '../../../src/skin/regions.ts';
import { describeParsing } from '../../support/cli/parsing.ts';
import { runCommand } from '../../support/cli/run-command.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { drawFigure } from '../../support/skin/drawing.ts';

describeParsing('download', download, {
  taken: [
    [['a'], ['a'], {}],
    [['a', '--player', 'B', '--out', 'c.png'], ['a'], { player: ['B'], out: 'c.png' }],
  ],
  refused: [[['a', '--fit'], /unknown option '--fit'/]],
});

test.each([
  [{ sources: [] }, 'no_source'],
  [{ sources: ['a.png', 'b.png'], out: 'c.png' }, 'one_file_many_sources'],
  [{ sources: ['a.png', 'b.png'], out: '-' }, 'one_file_many_sources'],
])(
  'download refuses a missing source, and several sources for one file: %j',
  async ({ sources, ...options }, code) => {
    const ran = await runCommand(async (context) => await runDownload(sources, options, context), {});
    expect(ran.told).toMatchObject({ code, exit: 'usage' });
  },
);

test('An HD skin is saved as it is, with its own size and the variant that its pixels show', async () => {
  const folder = await ownFolder();
  const [hd, out] = [join(folder, 'hd.png'), join(folder, 'out.png')];
  await writeFile(hd, encodePng(enlarge(drawFigure('slim'), 2)));
  const ran = await runCommand(async (context) => await runDownload([hd], { out }, context), {
    flags: { json: true },
  });
  expect(JSON.parse(ran.out)).toEqual({ source: hd, file: out, variant: 'slim', width: 128, height: 128 });
  expect(await readFile(out)).toEqual(await readFile(hd));
});

test('A JSON list of downloads is complete even if it is interrupted after the first', async () => {
  const folder = await ownFolder();
  const sources = ['a.png', 'b.png'].map((name) => join(folder, name));
  for (const source of sources) await writeFile(source, encodePng(drawFigure('slim')));
  const stop = new AbortController();
  const { out } = await runCommand(
    async (context) => {
      const write = context.io.out.write.bind(context.io.out);
      Object.assign(context.io.out, { write: (text: string) => [write(text), stop.abort()] });
      return await runDownload(sources, { out: join(folder, 'out') }, context);
    },
    { flags: { json: true }, signal: stop.signal },
  );
  expect(JSON.parse(out)).toMatchObject([{ source: sources[0] }]);
});
