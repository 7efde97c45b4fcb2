/** Columns and rows of one character, and the space around the text, in pixels. */
const CELL = { width: 8.4, height: 18 };
const MARGIN = 16;
const FONT = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

const GROUND = '#1b1f24';
const TEXT = '#d7dce2';
/** What a terminal shows for its own colours, by SGR number. */
const NAMED: Readonly<Record<number, string>> = {
  31: '#ff7b72',
  32: '#56d364',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  37: '#d7dce2',
  90: '#8b949e',
};

interface Style {
  readonly color?: string | undefined;
  readonly ground?: string | undefined;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
}

interface Run {
  readonly text: string;
  readonly style: Style;
}

/** A picture of what a terminal shows: text with SGR escape codes. `columns`: how wide the terminal is. */
export function terminalSvg(output: string, columns: number): string {
  const lines = output.trimEnd().split('\n');
  const width = Math.round(columns * CELL.width + 2 * MARGIN);
  const height = lines.length * CELL.height + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    '<title>skinsmith in a terminal</title>',
    `<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>`,
    `<g font-family='${FONT}' font-size="14" fill="${TEXT}" xml:space="preserve">`,
    ...lines.flatMap((line, row) => drawLine(line, MARGIN + row * CELL.height)),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function drawLine(line: string, top: number): string[] {
  let column = 0;
  return runsOf(line).flatMap(({ text, style }) => {
    const left = MARGIN + column * CELL.width;
    column += [...text].length;
    if (text.trim() === '') return [];
    return text === '▀' ? drawHalves(left, top, style) : [drawText(text, left, top, style)];
  });
}

/** Two pixels of a skin: rectangles, because a font's half blocks leave gaps. */
function drawHalves(left: number, top: number, { color, ground }: Style): string[] {
  const half = CELL.height / 2;
  const box = (y: number, fill: string | undefined) =>
    fill === undefined
      ? []
      : [
          `<rect x="${round(left)}" y="${y}" width="${round(CELL.width + 0.3)}" height="${half + 0.3}" fill="${fill}"/>`,
        ];
  return [...box(top, color), ...box(top + half, ground)];
}

function drawText(text: string, left: number, top: number, style: Style): string {
  const attributes = [
    `x="${round(left)}"`,
    `y="${top + 13}"`,
    `textLength="${round([...text].length * CELL.width)}"`,
    ...(style.color === undefined ? [] : [`fill="${style.color}"`]),
    ...(style.isBold ? ['font-weight="bold"'] : []),
    ...(style.isDim ? ['opacity="0.6"'] : []),
  ];
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text ${attributes.join(' ')}>${escaped}</text>`;
}

/** A line cut where its style changes, and around each half block. */
function runsOf(line: string): Run[] {
  const runs: Run[] = [];
  let style: Style = {};
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches escape codes.
  for (const [part, codes] of line.matchAll(/\u001b\[([0-9;]*)m|▀|[^\u001b▀]+/g)) {
    if (codes === undefined) runs.push({ text: part, style });
    else style = restyled(style, codes.split(';').map(Number));
  }
  return runs;
}

function restyled(style: Style, [code = 0, ...rest]: readonly number[]): Style {
  if ((code === 38 || code === 48) && rest[0] === 2) {
    const [, red = 0, green = 0, blue = 0, ...more] = rest;
    const next = { ...style, [code === 38 ? 'color' : 'ground']: `rgb(${red},${green},${blue})` };
    return more.length > 0 ? restyled(next, more) : next;
  }
  return rest.length > 0 ? restyled(simple(style, code), rest) : simple(style, code);
}

function simple(style: Style, code: number): Style {
  if (code === 0) return {};
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isDim: true };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  if (code === 39) return { ...style, color: undefined };
  if (code === 49) return { ...style, ground: undefined };
  return { ...style, color: NAMED[code] ?? style.color };
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
