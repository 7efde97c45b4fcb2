import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { COLUMNS, runSession } from '../../docs/images/session.ts';
import { drawArms, drawNpcs, drawSheet } from '../../docs/images/sheet.ts';
import { terminalSvg } from '../../docs/images/terminal-svg.ts';

const IMAGES = join(import.meta.dirname, '../../docs/images');

test.each([
  ['example skins', 'skins.png', drawSheet],
  ['characters', 'npcs.png', drawNpcs],
  ['arms', 'arms.png', drawArms],
])('The picture of the %s is current (otherwise run: npm run images)', async (_name, file, draw) => {
  const drawn = await draw();
  const kept = PNG.sync.read(readFileSync(join(IMAGES, file)));
  expect([kept.width, kept.height]).toEqual([drawn.width, drawn.height]);
  expect(Buffer.compare(kept.data, drawn.pixels)).toBe(0);
});

test('The picture of the terminal is current (otherwise run: npm run images)', async () => {
  const kept = readFileSync(join(IMAGES, 'terminal.svg'), 'utf8');
  expect(terminalSvg(await runSession(), COLUMNS)).toBe(kept);
});

test('A terminal is drawn with its colours, half blocks as rectangles', () => {
  const svg = terminalSvg('\u001b[32m✔\u001b[39m a<b\n\u001b[38;2;1;2;3;48;2;4;5;6m▀\u001b[0m', 10);
  expect(svg).toContain('fill="#56d364">✔</text>');
  expect(svg).toContain('a&lt;b</text>');
  expect(svg).toMatch(/y="34" [^>]*fill="rgb\(1,2,3\)"\/>\n.*y="43" [^>]*fill="rgb\(4,5,6\)"/);
});
