import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Picture } from '../src/skin/picture.ts';
import { encodePng } from '../src/skin/png/encode.ts';
import { drawKnight } from './characters/knight.ts';
import { drawMiner } from './characters/miner.ts';
import { drawRanger } from './characters/ranger.ts';
import { drawRobot } from './characters/robot.ts';
import { drawSmith } from './characters/smith.ts';

/** File name of each example, and the function that draws it. */
export const EXAMPLES: Readonly<Record<string, () => Picture>> = {
  'smith.png': drawSmith,
  'ranger-slim.png': drawRanger,
  'miner-legacy.png': drawMiner,
  'knight-overlay.png': drawKnight,
  'robot.png': drawRobot,
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, draw] of Object.entries(EXAMPLES)) {
    writeFileSync(new URL(name, import.meta.url), encodePng(draw()));
  }
}
