import { announce, copy, showBriefly } from './copy.ts';
import { say } from './language.ts';

/** Shares the address of a page with the browser's own menu; where there is none, copies it. */
export function offerSharing(button: HTMLButtonElement): void {
  const { share: url = '', title = '' } = button.dataset;
  button.addEventListener('click', async () => {
    if (navigator.share)
      await navigator.share({ title, url }).catch(() => undefined); // the person changed their mind
    else tell(button, (await copy(url)) ? say('Address copied') : say('Copy failed'));
  });
}

/** Copies a picture, in browsers that can. */
export function offerPicture(button: HTMLButtonElement): void {
  if (!navigator.clipboard?.write || typeof ClipboardItem === 'undefined') return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    // Some browsers allow it only right after the click, so the picture is promised and not awaited.
    const picture = fetch(button.dataset['copyPicture'] ?? '').then(pictureIn);
    const isCopied = await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]).then(
      () => true,
      () => false,
    );
    tell(button, isCopied ? say('Picture copied') : say('Copy failed'));
  });
}

function tell(button: HTMLButtonElement, result: string): void {
  showBriefly(button, result);
  announce(result);
}

async function pictureIn(answer: Response): Promise<Blob> {
  if (!answer.ok) throw new Error(`The picture was answered with ${answer.status}.`);
  return await answer.blob();
}
