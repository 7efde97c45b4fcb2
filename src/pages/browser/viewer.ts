import type { Variant } from '../../skin/regions.ts';
import { say } from './language.ts';
import type { OpenViewer } from './skin-viewer.ts';

/** Windows wide enough to show the skin in 3D at once, for people who do not mind that it moves. */
const AT_ONCE = '(min-width: 64rem) and (prefers-reduced-motion: no-preference)';

/** Milliseconds. Browsers that draw nothing new may never call themselves idle. */
const IDLE_WITHIN = 2_000;

/** The renderer or a texture did not arrive. */
class NotLoadedError extends Error {}

async function arrived<Result>(what: Promise<Result>): Promise<Result> {
  try {
    return await what;
  } catch (cause) {
    throw new NotLoadedError('Something was not loaded.', { cause });
  }
}

type Renderer = typeof import('./skin-viewer.ts');

/** How often the renderer did not arrive. */
let failures = 0;

/** Loads the renderer that a stage names. @throws NotLoadedError */
async function loadRenderer({ dataset: { script = '' } }: HTMLElement): Promise<Renderer> {
  try {
    // Browsers ask only once for a script, even if it did not arrive, but again at another address.
    return await arrived(import(failures === 0 ? script : `${script}?again=${failures}`));
  } catch (error) {
    failures++;
    throw error;
  }
}

/** Why nothing is shown in 3D. */
export function whyNot3d(error: unknown): string {
  return error instanceof NotLoadedError
    ? say('3D could not be loaded; try again')
    : say('This browser cannot show 3D');
}

/** Replaces a skin's picture with a 3D view. @throws Error without WebGL, or NotLoadedError */
async function openViewer(stage: HTMLElement): Promise<void> {
  const { viewer: address = '', model, cape } = stage.dataset;
  const { makeViewer } = await loadRenderer(stage);
  // The picture stays until there is something to replace it.
  const stand = document.createElement('div');
  const viewer = makeViewer(stand, stage.clientWidth);
  await arrived(viewer.show(address, model === 'slim' ? 'slim' : 'classic', cape));
  stage.replaceChildren(...stand.children);
}

/**
 * Shows a skin in 3D: at once on wide screens, after everything else has been loaded, because the renderer is large;
 * elsewhere when the person asks for it. What fails is tried once more by itself, and whenever the person asks.
 */
export function offerViewer(stage: HTMLElement): void {
  const button = stage.querySelector<HTMLButtonElement>('[data-open-viewer]');
  if (!button) return;
  const open = oneAtATime(async () => {
    if (!button.isConnected) return; // the skin is shown
    button.disabled = true;
    button.textContent = say('Loading 3D…');
    try {
      await openViewer(stage);
    } catch (error) {
      button.textContent = whyNot3d(error);
      button.disabled = false;
    }
  });
  const ask = async () => {
    await open();
    stage.querySelector<HTMLElement>('canvas')?.focus({ preventScroll: true }); // the button is gone
  };
  button.addEventListener('click', ask);
  stage.querySelector('img')?.addEventListener('click', ask);
  if (matchMedia(AT_ONCE).matches && !savesData()) whenIdle(() => void open().then(() => whenIdle(open)));
}

function oneAtATime(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return async () => {
    running ??= act().finally(() => {
      running = undefined;
    });
    await running;
  };
}

/** Only some browsers tell. */
function savesData(): boolean {
  const { connection } = navigator as Navigator & { readonly connection?: { readonly saveData?: boolean } };
  return connection?.saveData === true;
}

function whenIdle(act: () => unknown): void {
  const rest = () =>
    'requestIdleCallback' in window ? requestIdleCallback(act, { timeout: IDLE_WITHIN }) : setTimeout(act);
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
    const { makeViewer } = await loadRenderer(this.#stage);
    this.#viewer ??= makeViewer(this.#stage);
    return this.#viewer;
  }
}
