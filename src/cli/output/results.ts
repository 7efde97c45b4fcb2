import type { Colors } from './text.ts';
import { clean, tabRows } from './text.ts';
import type { JobView, ResultView } from './views.ts';

/** `source, status, job, uuid, variant, value, signature, texture`. */
export function resultRow(result: ResultView): string {
  const { source, status, job, uuid, variant, value, signature, texture } = result;
  return tabRows([[source, status, job, uuid, variant, value, signature, texture?.url]]);
}

/** `job, status, created, source, uuid`. */
export function jobRow({ job, status, created, source, uuid }: JobView): string {
  return tabRows([[job, status, created, source, uuid]]);
}

/** A skin as a person reads it. */
export function resultText(result: ResultView, colors: Colors): string {
  const mark = result.status === 'completed' ? colors.good('✔') : colors.faint('•');
  const state = result.status === 'completed' ? undefined : result.status;
  const about = [state, result.variant, result.visibility, result.duplicate ? 'known already' : undefined];
  const title = `${mark} ${colors.strong(clean(result.source ?? result.job ?? ''))}  ${about.filter(Boolean).join(', ')}`;
  const fields: [string, string | undefined][] = [
    ['uuid', result.uuid],
    ['name', result.name],
    ['texture', result.texture?.url],
    ['value', result.value],
    ['signature', result.signature],
  ];
  const lines = fields.flatMap(([label, text]) =>
    text === undefined ? [] : [`  ${colors.faint(label.padEnd(9))} ${clean(text)}`],
  );
  return `${[title, ...lines].join('\n')}\n`;
}
