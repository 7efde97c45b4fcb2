/** Milliseconds for which a button says that it has copied. */
const SAID = 1_500;

/** Shows a button that copies the text in its `data-copy`. */
export function offerCopying(button: HTMLButtonElement): void {
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener('click', async () => {
    button.textContent = (await copy(button.dataset['copy'] ?? '')) ? 'Copied' : 'Not copied';
    setTimeout(() => {
      button.textContent = label;
    }, SAID);
  });
}

/** The clipboard is only there on encrypted or local pages; elsewhere the browser's old way has to do. */
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
