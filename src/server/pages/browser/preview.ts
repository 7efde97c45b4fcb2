import type { Variant } from '../../../skin/variant.ts';
import type { OpenViewer } from './skin-viewer.ts';
import { loadViewer } from './viewer.ts';

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
