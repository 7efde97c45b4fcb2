/** Milliseconds for which a button shows the result. */
const SAID = 1_500;

/** Shows a button, which copies the text in its `data-copy`. */
export function offerCopying(button: HTMLButtonElement): void {
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener('click', async () => {
    button.textContent = (await copy(button.dataset['copy'] ?? '')) ? 'Copied' : 'Copy failed';
    setTimeout(() => {
      button.textContent = label;
    }, SAID);
  });
}

/** The clipboard API exists only on encrypted or local pages; elsewhere, the old command has to do. */
async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}

/** A button that copies a text. */
export function copyButton(label: string, text: string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = label;
  button.dataset['copy'] = text;
  offerCopying(button);
  return button;
}
