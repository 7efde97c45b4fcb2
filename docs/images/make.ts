/**
 * Draws the pictures of the documents from the example skins and the commands themselves: `npm run images`.
 * test/docs/images.test.ts fails if they are not current.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodePng } from '../../src/skin/png/encode.ts';
import { COLUMNS, runSession } from './session.ts';
import { drawArms, drawNpcs, drawSheet } from './sheet.ts';
import { terminalSvg } from './terminal-svg.ts';

const FOLDER = import.meta.dirname;

process.chdir(join(FOLDER, '../..'));
await writeFile(join(FOLDER, 'skins.png'), encodePng(await drawSheet()));
await writeFile(join(FOLDER, 'npcs.png'), encodePng(await drawNpcs()));
await writeFile(join(FOLDER, 'arms.png'), encodePng(await drawArms()));
await writeFile(join(FOLDER, 'terminal.svg'), terminalSvg(await runSession(), COLUMNS));
