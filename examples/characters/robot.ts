import type { Picture } from '../../src/skin/picture.ts';
import { art, box, type Figure, makeFigure, plate, ring, SIDES, shade } from './brush.ts';

const shell = 'c9cdd2';
const seam = '90979f';
const dark = '2a2f36';
const orange = 'e07b24';

const colours = {
  p: shell,
  q: seam,
  k: dark,
  o: orange,
  O: 'a85713',
  c: '4fe3e8',
  C: '1c8f9c',
  w: 'f3f6f8',
  r: 'e5393f',
  g: '58c95a',
  y: 'f2cd42',
  b: '4b525b',
};

/** A robot: classic; glowing eyes, control panel, bolted joints, a lamp on the head as its only overlay. */
export function drawRobot(): Picture {
  const figure = makeFigure('classic');
  drawHead(figure);
  drawBody(figure);
  for (const part of ['rightArm', 'leftArm'] as const) drawLimb(figure, part);
  for (const part of ['rightLeg', 'leftLeg'] as const) drawLimb(figure, part);
  for (const part of ['rightArm', 'leftArm'] as const) {
    ring(figure, part, [0, 2], orange);
    ring(figure, part, [10, 12], dark);
    for (const face of SIDES) art(figure, { part, face, colours, row: 10 }, ['kbbk', 'k.k.']);
    plate(figure, part, 'top', orange);
  }
  shade(figure);
  return figure.picture;
}

function drawHead(figure: Figure): void {
  box(figure, 'head', shell);
  ring(figure, 'head', [0, 1], orange);
  art(figure, { part: 'head', face: 'top', colours }, [
    'oooooooo',
    'opppqppo',
    'oppqqppo',
    'opqkkqpo',
    'opqkkqpo',
    'oppqqppo',
    'opqpqppo',
    'oooooooo',
  ]);
  art(figure, { part: 'head', face: 'front', colours }, [
    'oooooooo',
    'pppppppp',
    'kkkkkkkk',
    'kcckkcck',
    'kcCkkCck',
    'kkkkkkkk',
    'qpkbkbpq',
    'ppbkbkpp',
  ]);
  for (const face of ['right', 'left'] as const) {
    art(figure, { part: 'head', face, colours, row: 1 }, [
      'qppppppq',
      'ppqqqqpp',
      'pqoooOqp',
      'pqoOOoqp',
      'pqooooqp',
      'ppqqqqpp',
      'qppppppq',
    ]);
  }
  art(figure, { part: 'head', face: 'back', colours, row: 1 }, [
    'qppppppq',
    'pkkkkkkp',
    'pppppppp',
    'pkkkkkkp',
    'pppppppp',
    'pkkkkkkp',
    'qppppppq',
  ]);
  plate(figure, 'head', 'bottom', dark);
  art(figure, { part: 'hat', face: 'top', colours }, ['', '', '', '...rr...', '...rr...']);
}

function drawBody(figure: Figure): void {
  box(figure, 'body', shell);
  art(figure, { part: 'body', face: 'front', colours }, [
    'qppkkppq',
    'pppppppp',
    'pbbbbbbp',
    'pbcCcCbp',
    'pbCccCbp',
    'pbbbbbbp',
    'prpypgpp',
    'qqqqqqqq',
    'kbkbkbkb',
    'bkbkbkbk',
    'oooooooo',
    'oOooooOo',
  ]);
  art(figure, { part: 'body', face: 'back', colours }, [
    'qppkkppq',
    'pqqqqqqp',
    'pqkkkkqp',
    'pqkookqp',
    'pqkyOkqp',
    'pqkkkkqp',
    'pqqqqqqp',
    'qqqqqqqq',
    'kbkbkbkb',
    'bkbkbkbk',
    'oooooooo',
    'oOooooOo',
  ]);
  for (const face of ['right', 'left'] as const) {
    art(figure, { part: 'body', face, colours, row: 1 }, [
      '.qq.',
      'qppq',
      '....',
      '.qq.',
      '....',
      '....',
      'qqqq',
      'kbkb',
      'bkbk',
      'oooo',
      'oOOo',
    ]);
  }
  plate(figure, 'body', 'bottom', dark);
}

function drawLimb(figure: Figure, part: 'rightArm' | 'leftArm' | 'rightLeg' | 'leftLeg'): void {
  box(figure, part, shell);
  for (const face of SIDES) {
    art(figure, { part, face, colours, row: 2 }, [
      'qqqq',
      'pwpp',
      'pppp',
      'kbkb',
      'bkbk',
      'qqqq',
      'pwpp',
      'pppp',
      'oooo',
      'oOOo',
    ]);
  }
  plate(figure, part, 'bottom', dark);
}
