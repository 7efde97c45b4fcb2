import { element } from './element.ts';
import type { BestWay } from './jobs.ts';
import { say } from './language.ts';

/** Milliseconds for which a button shows the result. */
const SAID = 1_500;

/** Lets a button copy the text in its `data-copy`, or the code beside it. */
export function offerCopying(button: HTMLButtonElement): void {
  const { what } = button.dataset;
  const done = what === undefined ? say('Copied') : say('Copied: {0}', what);
  button.addEventListener('click', async () => {
    const text = button.dataset['copy'] || button.parentElement?.querySelector('code')?.textContent;
    if (await copy(text ?? '')) tell(button, say('Copied'), done);
    else tell(button, say('Copy failed'));
  });
}

/** Shows a result in place of a button's label, and tells it to screen readers. */
function tell(button: HTMLButtonElement, result: string, message = result): void {
  const label = button.dataset['label'] ?? button.textContent;
  button.dataset['label'] = label;
  button.textContent = result;
  setTimeout(() => {
    button.textContent = label;
  }, SAID);
  const place = document.querySelector<HTMLElement>('[data-announcements]');
  if (place) place.textContent = message;
}

/** The clipboard API exists only on encrypted or local pages; elsewhere, the old command has to do. */
async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const field = element('textarea', { value: text });
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}

/** A button that copies a text, named after it. `about`: what it belongs to, for screen readers. */
export function copyButton(label: string, text: string, about: string): HTMLButtonElement {
  const name = say('Copy {0}: {1}', label, about);
  const button = element('button', { type: 'button', className: 'copy', ariaLabel: name }, label);
  button.dataset['copy'] = text;
  button.dataset['what'] = `${label}: ${about}`;
  offerCopying(button);
  return button;
}

/** A link that downloads a file. `about`: what it belongs to, for screen readers. */
export function downloadLink({ name, address }: NonNullable<BestWay['file']>, about: string): HTMLElement {
  const ariaLabel = say('Download {0}: {1}', name, about);
  const className = 'button quiet-button';
  return element('a', { href: address, download: name, className, ariaLabel }, say('Download'));
}

/** A secondary button. */
export function smallButton(label: string, act: (button: HTMLButtonElement) => void): HTMLButtonElement {
  const button = element('button', { type: 'button', className: 'quiet-button' }, label);
  button.addEventListener('click', () => act(button));
  return button;
}

/** Shares the address of a page with the browser's own menu; where there is none, copies it. */
export function offerSharing(button: HTMLButtonElement): void {
  const { share: url = '', title = '' } = button.dataset;
  button.addEventListener('click', async () => {
    if (navigator.share)
      await navigator.share({ title, url }).catch(() => undefined); // the person changed their mind
    else tell(button, (await copy(url)) ? say('Address copied') : say('Copy failed'));
  });
}
