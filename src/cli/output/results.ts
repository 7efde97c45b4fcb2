import type { Picture } from '../../skin/picture.ts';
import type { Colors } from '../terminal/colors.ts';
import { clean, oneLine } from '../text/text.ts';
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

/** A skin as readable text, in which value and signature are shortened. `sentName`: the name that was asked for. */
export function resultText(result: ResultView, colors: Colors, sentName?: string): string {
  return `${resultLines(result, colors, sentName).join('\n')}\n`;
}

/** The same text with an image. */
export function picturedText(
  result: ResultView,
  colors: Colors,
  {
    picture,
    terminal,
    sentName,
  }: { picture: Picture; terminal: TerminalPictures; sentName?: string | undefined },
): string {
  return besidePicture(picture, resultLines(result, colors, sentName), terminal);
}

/** Characters that are shown of values and signatures: they fit beside a picture on 80 columns. */
const SHOWN = 48;

function resultLines(result: ResultView, colors: Colors, sentName: string | undefined): string[] {
  const mark = result.status === 'completed' ? colors.good('✔') : colors.faint('•');
  const state = result.status === 'completed' ? undefined : result.status;
  const about = [
    state,
    result.variant,
    result.visibility,
    result.duplicate ? knownText(result, sentName) : undefined,
  ];
  const title = `${mark} ${colors.strong(clean(result.source ?? result.job ?? ''))}  ${about.filter(Boolean).join(', ')}`;
  const line = (label: string, text: string | undefined) =>
    text === undefined ? [] : [`  ${colors.faint(label.padEnd(9))} ${clean(text)}`];
  return [
    title,
    ...line('uuid', result.uuid),
    ...line('name', result.name),
    ...line('texture', result.texture?.url),
    ...line('value', result.value && oneLine(result.value, SHOWN)),
    ...line('signature', result.signature && oneLine(result.signature, SHOWN)),
    ...line('signer', result.signer),
  ];
}

/**
 * A skin that the service already had may keep its first name. A name that was sent may be an echo, and is no news. Nor is
 * a skin that was asked for by its name.
 */
function knownText({ name, source }: ResultView, sentName: string | undefined): string | undefined {
  if (name !== undefined && name === source) return undefined;
  return name === undefined || name === sentName ? 'already known' : `already known as ${clean(name)}`;
}
