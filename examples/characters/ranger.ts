import type { Picture } from '../../src/skin/picture.ts';
import { art, box, type Figure, makeFigure, plate, ring, shade } from './brush.ts';

const skin = 'e6b48f';
const hair = '9c3f1d';
const tunic = '3f7a3b';
const dark = '2c5a2d';
const hide = '7b5230';
const tights = '4a4238';

const colours = {
  h: hair,
  H: 'b9552a',
  s: skin,
  d: 'cf9873',
  w: 'f7f4ee',
  e: '2f8f4e',
  m: 'b8584c',
  g: tunic,
  G: dark,
  b: hide,
  B: '58381f',
  y: 'e0b23e',
  r: 'c53b32',
  a: 'd8d3c4',
  c: 'a5855a',
};

/** A ranger: slim, base layer only; long red hair, green tunic, a quiver strapped to her back. */
export function drawRanger(): Picture {
  const figure = makeFigure('slim');
  drawHead(figure);
  drawBody(figure);
  for (const part of ['rightArm', 'leftArm'] as const) {
    box(figure, part, tunic);
    ring(figure, part, [3, 4], colours.y);
    ring(figure, part, [4, 6], skin);
    ring(figure, part, [6, 10], hide);
    ring(figure, part, [7, 8], colours.B);
    ring(figure, part, [9, 10], colours.B);
    ring(figure, part, [10, 12], skin);
    plate(figure, part, 'bottom', colours.d);
  }
  for (const part of ['rightLeg', 'leftLeg'] as const) {
    box(figure, part, tights);
    ring(figure, part, [0, 2], tunic);
    ring(figure, part, [2, 3], dark);
    ring(figure, part, [6, 12], hide);
    ring(figure, part, [6, 7], colours.c);
    art(figure, { part, face: 'front', colours, row: 8 }, ['.BB.', '....', '.BB.']);
    ring(figure, part, [11, 12], colours.B);
    plate(figure, part, 'bottom', colours.B);
  }
  shade(figure);
  return figure.picture;
}

function drawHead(figure: Figure): void {
  box(figure, 'head', hair);
  art(figure, { part: 'head', face: 'top', colours }, [
    'hhhHHhhh',
    'hHhhhhHh',
    'hhhHhhhh',
    'hHhhhHhh',
    'hhhhHhhh',
    'hhHhhhHh',
    'hhhhHhhh',
    'hHhhhhHh',
  ]);
  art(figure, { part: 'head', face: 'front', colours }, [
    'hhHhhhHh',
    'hHhhHhhh',
    'hHhsshhh',
    'hssssssh',
    'hwessewh',
    'hsssdssh',
    'hssmmssh',
    'hdsssdsh',
  ]);
  art(figure, { part: 'head', face: 'right', colours }, [
    'hhHhhhhh',
    'hHhhhHhh',
    'gggggggg',
    'hhHhhhhs',
    'hHhhHdss',
    'hhhhhsss',
    'hHhhHhss',
    'hhhhhhds',
  ]);
  art(figure, { part: 'head', face: 'left', colours }, [
    'hhhhhHhh',
    'hhHhhhHh',
    'gggggggg',
    'shhhhHhh',
    'ssdHhhHh',
    'ssshhhhh',
    'sshHhhHh',
    'sdhhhhhh',
  ]);
  art(figure, { part: 'head', face: 'back', colours }, [
    'hhHhhhhh',
    'hHhhhHhh',
    'ggggGggg',
    'hhHhGGhh',
    'hHhhHhhH',
    'hhHhhhhh',
    'hHhhHhHh',
    'hhhHhhhh',
  ]);
  art(figure, { part: 'head', face: 'front', colours, row: 2 }, ['gg....gg']);
  plate(figure, 'head', 'bottom', colours.d);
}

function drawBody(figure: Figure): void {
  box(figure, 'body', tunic);
  art(figure, { part: 'body', face: 'front', colours }, [
    'bhdssdhg',
    'gbGddGhg',
    'hgbGGggh',
    'ggGbggGg',
    'gGggbgGg',
    'GgggGbgg',
    'gggggGbg',
    'BBByyBBB',
    'bbbyybbb',
    'ggGggGgg',
    'gGggggGg',
    'yyyyyyyy',
  ]);
  art(figure, { part: 'body', face: 'back', colours }, [
    'hhHhrrab',
    'hHhhrabg',
    'hhHhBBBg',
    'hHhBbbcB',
    'hhHBbcbB',
    'ghBbbcBg',
    'ggBbcbBg',
    'BBBbcBBB',
    'bbBBBBbb',
    'gGggggGg',
    'ggGggGgg',
    'yyyyyyyy',
  ]);
  for (const face of ['right', 'left'] as const) {
    art(figure, { part: 'body', face, colours, row: 7 }, ['BBBB', 'bbbb', 'gGgg', 'ggGg', 'yyyy']);
  }
  plate(figure, 'body', 'bottom', dark);
  art(figure, { part: 'body', face: 'top', colours }, ['hhhhhhhg', 'hhhhhhgg', 'ggssssgg', 'bgdssdgg']);
}
