import type { Variant } from '../../../skin/regions.ts';
import { say } from './language.ts';
import type { OpenViewer } from './skin-viewer.ts';

/** Windows wide enough to show the skin in 3D at once, for people who do not mind that it moves. */
const AT_ONCE = '(min-width: 64rem) and (prefers-reduced-motion: no-preference)';

/** The renderer did not arrive. Browsers do not ask again for such a script: only a new page does. */
class NotLoadedError extends Error {}

/** Loads the renderer. @throws NotLoadedError */
async function loadViewer(): Promise<typeof import('./skin-viewer.ts')> {
  try {
    return await import('./skin-viewer.ts');
  } catch (cause) {
    throw new NotLoadedError('The renderer was not loaded.', { cause });
  }
}

/** Why nothing is shown in 3D. */
export function whyNot3d(error: unknown): string {
  return error instanceof NotLoadedError
    ? say('3D could not be loaded; reload the page')
    : say('This browser cannot show 3D');
}

/**
 * Shows a skin in 3D: at once on wide screens, after everything else has been loaded, because the renderer is large;
 * elsewhere when the person asks for it.
 */
export function offerViewer(stage: HTMLElement): void {
  const button = stage.querySelector<HTMLButtonElement>('[data-open-viewer]');
  if (!button) return;
  const open = once(async () => {
    button.disabled = true;
    button.textContent = say('Loading 3D…');
    try {
      const { openViewer } = await loadViewer();
      await openViewer(stage);
    } catch (error) {
      button.textContent = whyNot3d(error);
    }
  });
  const ask = async () => {
    await open();
    stage.querySelector<HTMLElement>('canvas')?.focus({ preventScroll: true }); // the button is gone
  };
  button.addEventListener('click', ask);
  stage.querySelector('img')?.addEventListener('click', ask);
  if (matchMedia(AT_ONCE).matches && !savesData()) whenIdle(open);
}

function once(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return async () => {
    running ??= act();
    await running;
  };
}

/** Only some browsers tell. */
function savesData(): boolean {
  const { connection } = navigator as Navigator & { readonly connection?: { readonly saveData?: boolean } };
  return connection?.saveData === true;
}

function whenIdle(act: () => unknown): void {
  const rest = () => ('requestIdleCallback' in window ? requestIdleCallback(act) : setTimeout(act));
  if (document.readyState === 'complete') rest();
  else addEventListener('load', rest, { once: true });
}

/** Shows pictures in 3D before they are sent, all on one stage, because browsers allow few WebGL contexts. */
export class Preview {
  readonly #dialog: HTMLDialogElement;
  readonly #stage: HTMLElement;
  #viewer: OpenViewer | undefined;

  constructor(dialog: HTMLDialogElement, stage: HTMLElement) {
    this.#dialog = dialog;
    this.#stage = stage;
    dialog.querySelector('[data-close]')?.addEventListener('click', () => dialog.close());
  }

  /** @throws Error without WebGL, or NotLoadedError */
  async show(file: File, variant: Variant): Promise<void> {
    const address = URL.createObjectURL(file);
    try {
      this.#dialog.showModal();
      await (await this.#open()).show(address, variant);
    } catch (error) {
      this.#dialog.close();
      throw error;
    } finally {
      URL.revokeObjectURL(address);
    }
  }

  async #open(): Promise<OpenViewer> {
    const { makeViewer } = await loadViewer();
    this.#viewer ??= makeViewer(this.#stage);
    return this.#viewer;
  }
}
