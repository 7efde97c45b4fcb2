import type { Picture } from '../../src/skin/picture.ts';
import { art, box, type Figure, makeFigure, plate, ring, SIDES, shade } from './brush.ts';

const skin = 'd09a76';
const denim = '35508a';
const shirt = 'a83a32';
const check = '7c2824';
const glove = '8a6a3c';
const boot = '3a2a20';
const hat = 'e8b020';

const colours = {
  s: skin,
  d: 'b98261',
  u: '8f6a52',
  h: '3b2a20',
  w: 'efe9e0',
  e: '3a2c22',
  D: denim,
  J: '27407a',
  y: 'd9b548',
  r: shirt,
  c: check,
  H: hat,
  K: 'b98412',
  l: 'fff3b0',
  o: '6b6f78',
};

/** A miner in the legacy 64×32 format: hard hat with a lamp as hat layer, moustache, overalls. */
export function drawMiner(): Picture {
  const figure = makeFigure('classic', 32);
  drawHead(figure);
  drawHat(figure);
  drawBody(figure);
  box(figure, 'rightArm', shirt);
  for (const face of SIDES) checker(figure, 'rightArm', face, 8);
  ring(figure, 'rightArm', [8, 12], glove);
  ring(figure, 'rightArm', [8, 9], '6a4f2a');
  plate(figure, 'rightArm', 'bottom', '6a4f2a');
  box(figure, 'rightLeg', denim);
  ring(figure, 'rightLeg', [7, 8], colours.J);
  art(figure, { part: 'rightLeg', face: 'front', colours, row: 3 }, ['.JJ.', '.yJ.', '.JJ.']);
  ring(figure, 'rightLeg', [8, 12], boot);
  art(figure, { part: 'rightLeg', face: 'front', colours, row: 8 }, ['.oo.', '.oo.']);
  ring(figure, 'rightLeg', [11, 12], '1f1611');
  plate(figure, 'rightLeg', 'bottom', '1f1611');
  shade(figure);
  return figure.picture;
}

function checker(
  figure: Figure,
  part: 'rightArm' | 'body',
  face: (typeof SIDES)[number],
  rows: number,
): void {
  const lines = Array.from({ length: rows }, (_, row) => (row % 3 === 2 ? 'cccccccc' : 'r.cr.cr.'));
  art(figure, { part, face, colours }, lines);
}

function drawHead(figure: Figure): void {
  box(figure, 'head', skin);
  plate(figure, 'head', 'top', colours.h);
  ring(figure, 'head', [0, 3], colours.h);
  ring(figure, 'head', [7, 8], colours.d);
  plate(figure, 'head', 'back', colours.h);
  art(figure, { part: 'head', face: 'front', colours, row: 2 }, [
    'hssssssh',
    'shhsshhs',
    'swessews',
    'ussdddsu',
    'sshhhhss',
    'uhhuuhhs',
  ]);
  art(figure, { part: 'head', face: 'right', colours, row: 3 }, [
    'hhhhhhss',
    'hhhhdsss',
    'hhhhdssu',
    'shhhssss',
  ]);
  art(figure, { part: 'head', face: 'left', colours, row: 3 }, [
    'sshhhhhh',
    'sssdhhhh',
    'ussdhhhh',
    'sssshhhs',
  ]);
  art(figure, { part: 'head', face: 'back', colours, row: 6 }, ['shhhhhhs', 'ssssssss']);
  plate(figure, 'head', 'bottom', colours.d);
}

function drawHat(figure: Figure): void {
  plate(figure, 'hat', 'top', hat);
  ring(figure, 'hat', [0, 2], hat);
  ring(figure, 'hat', [2, 3], colours.K);
  art(
    figure,
    { part: 'hat', face: 'top', colours },
    Array.from({ length: 8 }, () => '...KK...'),
  );
  art(figure, { part: 'hat', face: 'front', colours }, ['..oooo..', '..ollo..', 'KKolloKK']);
  art(figure, { part: 'hat', face: 'back', colours }, ['...KK...', '...KK...']);
}

function drawBody(figure: Figure): void {
  box(figure, 'body', denim);
  for (const face of SIDES) {
    plate(figure, 'body', face, shirt);
    checker(figure, 'body', face, 8);
    art(figure, { part: 'body', face, colours, row: 7 }, [
      'JJJJJJJJ',
      'DDDDDDDD',
      'DDDDDDDD',
      'DDDDDDDD',
      'DDDDDDDD',
    ]);
  }
  art(figure, { part: 'body', face: 'front', colours }, [
    '.DdssdD.',
    '.D.dd.D.',
    '.D....D.',
    '.yDDDDy.',
    'DDJJJJDD',
    'DDJDDJDD',
    'DDJJJJDD',
    'JJJyyJJJ',
    'DJDDDDJD',
    'DDDJDDDD',
    'DDDJDDDD',
    'DDDDJDDD',
  ]);
  art(figure, { part: 'body', face: 'back', colours }, [
    '.D....D.',
    '.DD..DD.',
    '..DDDD..',
    '...DD...',
    '..DDDD..',
    '.DD..DD.',
    'DD....DD',
  ]);
  plate(figure, 'body', 'top', shirt);
}
