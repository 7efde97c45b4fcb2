import { type Html, html } from '../html/html.ts';

/** The options of a select; the names of values. */
export function options<Value extends string>(
  names: Readonly<Record<Value, string>>,
  chosen: Value | undefined,
): Html[] {
  return Object.entries<string>(names).map(
    ([value, name]) => html`<option value="${value}"${value === chosen && html` selected`}>${name}</option>`,
  );
}

interface Check {
  readonly name: string;
  readonly value: string;
  readonly isChecked: boolean;
}

/** A box to check, with its label behind it. */
export function checkBox({ name, value, isChecked }: Check, label: string): Html {
  return html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${isChecked && html` checked`}> ${label}</label>`;
}
