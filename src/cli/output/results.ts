import type { Picture } from '../../skin/picture.ts';
import type { Colors } from '../terminal/colors.ts';
import { clean } from '../text/text.ts';
import { columnRows } from './described.ts';
import { besidePicture, type TerminalPictures } from './picture/terminal-picture.ts';
import { JOB_COLUMNS, RESULT_COLUMNS } from './view-output.ts';
import type { JobView, ResultView } from './views.ts';

export function resultRow(result: ResultView): string {
  return columnRows(RESULT_COLUMNS, [result]);
}

export function jobRow(job: JobView): string {
  return columnRows(JOB_COLUMNS, [job]);
}

/** A skin as readable text. */
export function resultText(result: ResultView, colors: Colors): string {
  return `${resultLines(result, colors).join('\n')}\n`;
}

/** The same text with an image. */
export function picturedText(
  result: ResultView,
  colors: Colors,
  { picture, terminal }: { picture: Picture; terminal: TerminalPictures },
): string {
  return besidePicture(picture, resultLines(result, colors), terminal);
}

function resultLines(result: ResultView, colors: Colors): string[] {
  const mark = result.status === 'completed' ? colors.good('✔') : colors.faint('•');
  const state = result.status === 'completed' ? undefined : result.status;
  const about = [state, result.variant, result.visibility, result.duplicate ? knownText(result) : undefined];
  const title = `${mark} ${colors.strong(clean(result.source ?? result.job ?? ''))}  ${about.filter(Boolean).join(', ')}`;
  const line = (label: string, text: string | undefined) =>
    text === undefined ? [] : [`  ${colors.faint(label.padEnd(9))} ${clean(text)}`];
  return [
    title,
    ...line('uuid', result.uuid),
    ...line('name', result.name),
    ...line('texture', result.texture?.url),
    ...line('value', result.value),
    ...line('signature', result.signature),
    ...line('signer', result.signer),
  ];
}

/** A skin that the service already had keeps its original name. Whoever asked by that name knows it. */
function knownText({ name, source }: ResultView): string | undefined {
  if (name === source) return undefined;
  return name === undefined ? 'already known' : `already known as ${clean(name)}`;
}
