import type { Picture } from '../../src/skin/picture.ts';
import { art, box, type Figure, makeFigure, plate, ring, shade } from './brush.ts';

const skin = 'd9a883';
const mail = '6d737c';
const link = '565b63';
const steel = 'b9c0c9';
const edge = '8b929c';
const blue = '2f4f9e';
const gold = 'd8ac3a';

const colours = {
  s: skin,
  d: 'bf8b68',
  w: 'f2efe9',
  e: '3d5a86',
  h: 'c9a04e',
  m: 'a8604f',
  M: mail,
  k: link,
  S: steel,
  g: edge,
  b: blue,
  B: '243f80',
  y: gold,
  f: 'b3342e',
  F: '8d2622',
  t: '4a3526',
};

/** A knight: classic, with every overlay in use; visor open at the eyes, tabard, pauldrons, greaves. */
export function drawKnight(): Picture {
  const figure = makeFigure('classic');
  drawHead(figure);
  drawHelmet(figure);
  drawBody(figure);
  drawArms(figure);
  drawLegs(figure);
  shade(figure);
  return figure.picture;
}

function mailPart(figure: Figure, part: 'body' | 'rightArm' | 'leftArm' | 'rightLeg' | 'leftLeg'): void {
  box(figure, part, mail);
  const rows = Array.from({ length: 12 }, (_, row) => (row % 2 ? 'k.k.k.k.' : '.k.k.k.k'));
  for (const face of ['right', 'front', 'left', 'back'] as const) art(figure, { part, face, colours }, rows);
}

function drawHead(figure: Figure): void {
  box(figure, 'head', skin);
  plate(figure, 'head', 'top', colours.h);
  plate(figure, 'head', 'back', colours.h);
  art(figure, { part: 'head', face: 'front', colours }, [
    'hhhhhhhh',
    'hhhhhhhh',
    'hssssssh',
    'shhsshhs',
    'swessews',
    'sssddsss',
    'sshmmhss',
    'sdhhhhds',
  ]);
  art(figure, { part: 'head', face: 'right', colours }, [
    'hhhhhhhh',
    'hhhhhhhh',
    'hhhhhhhh',
    'hhhhhhss',
    'hhhhdsss',
    'hhhhdsss',
    'hhhhssss',
    'shhsssss',
  ]);
  art(figure, { part: 'head', face: 'left', colours }, [
    'hhhhhhhh',
    'hhhhhhhh',
    'hhhhhhhh',
    'sshhhhhh',
    'sssdhhhh',
    'sssdhhhh',
    'sssshhhh',
    'ssssshhs',
  ]);
  plate(figure, 'head', 'bottom', colours.d);
}

function drawHelmet(figure: Figure): void {
  for (const face of ['top', 'right', 'left', 'back'] as const) plate(figure, 'hat', face, steel);
  ring(figure, 'hat', [2, 3], gold);
  ring(figure, 'hat', [7, 8], edge);
  art(
    figure,
    { part: 'hat', face: 'top', colours },
    Array.from({ length: 8 }, () => 'gSSffSSg'),
  );
  art(figure, { part: 'hat', face: 'back', colours }, [
    '...ff...',
    '...fF...',
    '...ff...',
    '...Ff...',
    '...fF...',
    '...F....',
  ]);
  art(figure, { part: 'hat', face: 'front', colours }, [
    'SSSffSSS',
    'SSSffSSS',
    'yyyyyyyy',
    'SSSSSSSS',
    'g......g',
    'gSSggSSg',
    'SgSggSgS',
    'gSgSSgSg',
  ]);
  for (const face of ['right', 'left'] as const) {
    art(figure, { part: 'hat', face, colours, row: 3 }, ['.g....g.', '........', '...gg...', '.g....g.']);
  }
}

function drawBody(figure: Figure): void {
  mailPart(figure, 'body');
  art(figure, { part: 'jacket', face: 'front', colours }, [
    'gSSyySSg',
    'bbbyybbb',
    'bbbyybbb',
    'byyyyyyb',
    'byyyyyyb',
    'bbbyybbb',
    'bbbyybbb',
    'ttttyttt',
    'bbbyybbb',
    'bBbyybBb',
    'bbBbbBbb',
    'yybyybyy',
  ]);
  art(figure, { part: 'jacket', face: 'back', colours }, [
    'gSSSSSSg',
    ...Array.from({ length: 6 }, (_, row) => (row % 2 ? 'bbBbbbbb' : 'bbbbbBbb')),
    'tttttttt',
    'bbbbbbbb',
    'bBbbbbBb',
    'bbBbbBbb',
    'yybyybyy',
  ]);
  for (const face of ['right', 'left'] as const) {
    art(figure, { part: 'jacket', face, colours, row: 7 }, ['tttt']);
  }
  art(figure, { part: 'jacket', face: 'top', colours }, ['SSgggSSS', 'SSgggSSS', 'SSgggSSS', 'SSSSSSSS']);
}

function drawArms(figure: Figure): void {
  for (const part of ['rightArm', 'leftArm'] as const) {
    mailPart(figure, part);
    ring(figure, part, [9, 12], colours.t);
    plate(figure, part, 'bottom', colours.t);
  }
  for (const part of ['rightSleeve', 'leftSleeve'] as const) {
    plate(figure, part, 'top', steel);
    ring(figure, part, [0, 3], steel);
    ring(figure, part, [3, 4], gold);
    ring(figure, part, [7, 10], steel);
    ring(figure, part, [8, 9], edge);
    art(figure, { part, face: 'front', colours }, ['SSSS', 'SggS']);
  }
}

function drawLegs(figure: Figure): void {
  for (const part of ['rightLeg', 'leftLeg'] as const) {
    mailPart(figure, part);
    ring(figure, part, [8, 12], edge);
    ring(figure, part, [10, 11], link);
    plate(figure, part, 'bottom', link);
  }
  for (const part of ['rightPants', 'leftPants'] as const) {
    ring(figure, part, [0, 2], blue);
    art(figure, { part, face: 'front', colours }, ['bbbb', 'bBbb', 'y..y', '....', 'SSSS', 'SggS', '.SS.']);
    for (const face of ['right', 'left', 'back'] as const) {
      art(figure, { part, face, colours, row: 2 }, ['y..y', '....', 'gggg']);
    }
    ring(figure, part, [9, 12], steel);
    ring(figure, part, [9, 10], edge);
  }
}
