import type { Picture } from '../../src/skin/picture.ts';
import { art, box, makeFigure, plate, ring, SIDES, shade } from './brush.ts';

const skin = 'c68863';
const hair = '5a3420';
const linen = 'cfc3a5';
const leather = '7a4a26';
const strap = '553218';
const cloth = '3d4048';
const boot = '2b211c';

const colours = {
  h: hair,
  s: skin,
  d: 'ad7150',
  w: 'f1ece4',
  e: '37606f',
  n: 'b06f4d',
  m: '8a4f42',
  b: '6e4128',
  B: '7f4c2f',
  L: leather,
  k: strap,
  i: 'c8c9cc',
  l: linen,
  g: '8f8f96',
  o: '9c8a68',
};

/** A blacksmith: classic, base layer only; beard, rolled sleeves, leather apron with a hammer in the belt. */
export function drawSmith(): Picture {
  const figure = makeFigure('classic');
  box(figure, 'head', skin);
  plate(figure, 'head', 'top', hair);
  plate(figure, 'head', 'back', hair);
  art(figure, { part: 'head', face: 'front', colours }, [
    'hhhhhhhh',
    'hhshhshh',
    'hssssssh',
    'shhsshhs',
    'swessews',
    'bssnnssb',
    'bBbbbbBb',
    'bbBmmBbb',
  ]);
  for (const face of ['right', 'left'] as const) {
    const rows = [
      'hhhhhhhh',
      'hhhhhhhh',
      'hhhhhhhs',
      'hhhhhsss',
      'hhhhdsss',
      'hhhddssb',
      'shhssbbb',
      'sssbbbbB',
    ];
    art(figure, { part: 'head', face, colours }, face === 'right' ? rows : rows.map(flip));
  }
  art(figure, { part: 'head', face: 'back', colours, row: 6 }, ['hhhhhhhh', 'shhhhhhs']);
  art(figure, { part: 'head', face: 'bottom', colours }, ['bbBbbBbb', 'bBbbbbBb', 'sbbbbbbs']);
  drawClothes(figure);
  shade(figure);
  return figure.picture;
}

function drawClothes(figure: ReturnType<typeof makeFigure>): void {
  box(figure, 'body', linen);
  art(figure, { part: 'body', face: 'front', colours }, [
    'lkdssdkl',
    'lklddlkl',
    'lkLLLLkl',
    'lLLLLLLl',
    'lLLLLLLl',
    'lLLkkLLl',
    'lLLLLLLl',
    'kkkiikkk',
    'LLLiiLLL',
    'LLLLLLLL',
    'LkLLLLkL',
    'LLLLLLLL',
  ]);
  art(figure, { part: 'body', face: 'back', colours }, [
    'lklsslkl',
    'llkllkll',
    'lllkklll',
    'lllkklll',
    'llkllkll',
    'lkllllkl',
    'llllllll',
    'kkkkkkkk',
    'lllkkLll',
    'oolkLooo',
    'oloooolo',
    'oooooooo',
  ]);
  art(figure, { part: 'body', face: 'right', colours, row: 6 }, [
    'gggl',
    'kkkk',
    'lkkL',
    'okkL',
    'okoL',
    'oooL',
  ]);
  art(figure, { part: 'body', face: 'left', colours, row: 7 }, ['kkkk', 'Lool', 'Lool', 'Looo', 'Looo']);
  plate(figure, 'body', 'bottom', cloth);
  for (const part of ['rightArm', 'leftArm'] as const) {
    box(figure, part, skin);
    plate(figure, part, 'top', linen);
    ring(figure, part, [0, 4], linen);
    ring(figure, part, [4, 5], colours.o);
    ring(figure, part, [8, 12], leather);
    ring(figure, part, [8, 9], strap);
    plate(figure, part, 'bottom', strap);
  }
  for (const part of ['rightLeg', 'leftLeg'] as const) {
    box(figure, part, cloth);
    art(figure, { part, face: 'front', colours }, ['LLLL', 'LLLL', 'LLkL', 'kLLk', '.kk.']);
    ring(figure, part, [8, 12], boot);
    for (const face of SIDES) art(figure, { part, face, colours: { k: strap }, row: 8 }, ['kkkk']);
    ring(figure, part, [11, 12], '191311');
    plate(figure, part, 'bottom', '191311');
  }
}

function flip(row: string): string {
  return [...row].toReversed().join('');
}
