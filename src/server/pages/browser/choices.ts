import { count, say } from './language.ts';

/** Offers to select all or none of a form's boxes, and counts them. */
export function offerSelectingAll(form: HTMLFormElement): void {
  const button = form.querySelector<HTMLButtonElement>('[data-select-all]');
  const number = form.querySelector<HTMLElement>('[data-selected]');
  const boxes = [...form.querySelectorAll<HTMLInputElement>('input[type="checkbox"]')];
  if (!button || !number) return;
  button.addEventListener('click', () => {
    const isOn = !boxes.every((box) => box.checked);
    for (const box of boxes) box.checked = isOn;
    tell();
  });
  form.addEventListener('change', tell);
  tell();

  function tell(): void {
    const selected = boxes.filter((box) => box.checked).length;
    button!.textContent = selected === boxes.length ? say('Select none') : say('Select all');
    number!.textContent = say('{0} selected', count(selected));
  }
}

/** Seconds. */
const YEAR = 365 * 24 * 3600;

/** Remembers what a visitor uses skins for, in the cookie that the page names. */
export function rememberUse(panel: HTMLElement): void {
  const name = panel.dataset['remember'] ?? '';
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  panel.addEventListener('change', () => {
    const group = panel.querySelector<HTMLInputElement>('input[name="for"]:checked')?.value ?? '';
    const use = panel.querySelector<HTMLInputElement>(`input[name="${CSS.escape(group)}"]:checked`)?.value;
    // biome-ignore lint/suspicious/noDocumentCookie: the other API is for secure pages alone
    document.cookie = `${name}=${use ?? group}; Path=/; Max-Age=${YEAR}; SameSite=Lax${secure}`;
  });
}
