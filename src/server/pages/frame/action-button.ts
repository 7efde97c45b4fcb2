import { type Html, html } from '../html/html.ts';

interface ActionOptions {
  /** What it is about, for those who do not see where the button stands. */
  readonly about: string;
  /** Hidden fields that go with it. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly isDanger?: boolean;
}

/** A form that is one button. */
export function actionButton(
  path: string,
  label: string,
  { about, fields = {}, isDanger = false }: ActionOptions,
): Html {
  return html`<form method="post" action="${path}">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="${isDanger ? 'quiet-button danger' : 'quiet-button'}" aria-label="${label}: ${about}">${label}</button></form>`;
}
