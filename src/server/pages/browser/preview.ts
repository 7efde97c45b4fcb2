import type { Variant } from '../../../skin/variant.ts';
import type { OpenViewer } from './skin-viewer.ts';

/** Shows pictures in 3D before they are sent, all on one stage, because browsers allow few WebGL contexts. */
export class Preview {
  readonly #stage: HTMLElement;
  #viewer: Promise<OpenViewer> | undefined;

  constructor(stage: HTMLElement) {
    this.#stage = stage;
  }

  /** @throws Error without WebGL */
  async show(file: File, variant: Variant): Promise<void> {
    const address = URL.createObjectURL(file);
    try {
      this.#stage.hidden = false;
      await (await this.#open()).show(address, variant);
      this.#stage.scrollIntoView({ block: 'nearest' });
    } catch (error) {
      this.close();
      throw error;
    } finally {
      URL.revokeObjectURL(address);
    }
  }

  close(): void {
    this.#stage.hidden = true;
  }

  async #open(): Promise<OpenViewer> {
    this.#viewer ??= import('./skin-viewer.ts').then(({ makeViewer }) => makeViewer(this.#stage));
    return await this.#viewer;
  }
}
