import { offerCopying } from './buttons.ts';
import { count, counted, say } from './language.ts';

/** A skin that the page has made. */
interface MadeSkin {
  readonly name: string;
  readonly uuid: string;
  readonly value: string;
  readonly signature: string;
  readonly url: string;
}

/** More pictures than this are shown in rows of one line. */
export const FEW = 10;

/** The panel with the progress and the results of all pictures that were sent from this page. */
export class Results {
  readonly #panel: HTMLElement;
  readonly #made: MadeSkin[] = [];
  #all = 0;
  #failed = 0;
  /** Chosen pictures that were not sent. */
  #left = 0;
  /** Pictures that ended in this run, which lasts until nothing is left to do. */
  #inRun = { all: 0, ended: 0, began: 0 };

  /** `onMore`: the person wants to make more skins; `onAgain`: to send again everything that failed. */
  constructor(panel: HTMLElement, acts: { readonly onMore: () => void; readonly onAgain: () => void }) {
    this.#panel = panel;
    this.#part('[data-more]').addEventListener('click', acts.onMore);
    this.#part('[data-again]').addEventListener('click', acts.onAgain);
    offerCopying(this.#part<HTMLButtonElement>('[data-copy-all]'));
  }

  get rows(): HTMLElement {
    return this.#part('[data-rows]');
  }

  #part<E extends HTMLElement>(selector: string): E {
    return this.#panel.querySelector<E>(selector)!;
  }

  /** Pictures were added. `height`: the least height of the panel, in pixels. */
  begin(more: number, height: number): void {
    if (this.#inRun.ended === this.#inRun.all) this.#inRun = { all: 0, ended: 0, began: performance.now() };
    this.#inRun.all += more;
    this.#all += more;
    this.rows.classList.toggle('many', this.#all > FEW);
    this.#panel.style.minHeight = `${height}px`;
    this.#panel.hidden = false;
    this.#panel.focus({ preventScroll: true });
    this.#panel.scrollIntoView({ block: 'nearest' });
    this.#part('[data-signed-out]').hidden = true;
    this.#show();
  }

  /** A picture that failed is sent again. */
  restart(): void {
    this.#failed--;
    this.#all--;
  }

  made(skin: MadeSkin): void {
    this.#made.push(skin);
    this.#inRun.ended++;
    this.#show();
  }

  failed(isSignedOut: boolean): void {
    this.#failed++;
    this.#inRun.ended++;
    if (isSignedOut) this.#part('[data-signed-out]').hidden = false;
    this.#show();
  }

  /** A failed picture was removed. */
  removed(): void {
    this.#failed--;
    this.#all--;
    this.#show();
  }

  /** So many pictures are chosen, but not sent: what needs attention stays behind. */
  leave(pictures: number): void {
    this.#left = pictures;
    if (this.#all > 0) this.#show();
  }

  /** Tells for how many seconds nothing is sent; 0: it goes on. */
  pause(seconds: number): void {
    const note = this.#part('[data-pause]');
    note.hidden = seconds === 0;
    note.textContent = say('Limit reached. Continuing in {0} s', seconds);
  }

  #show(): void {
    const { all, ended } = this.#inRun;
    const isOver = ended === all;
    this.#part('[data-progress]').textContent = isOver
      ? [this.#summary(), this.#left > 0 && say('Not sent: {0}.', count(this.#left))]
          .filter(Boolean)
          .join(' ')
      : this.#progress();
    const bar = this.#part<HTMLProgressElement>('[data-bar]');
    bar.max = all;
    bar.value = ended;
    bar.style.visibility = isOver ? 'hidden' : '';
    const areSeveral = isOver && this.#made.length > 1;
    this.#part('[data-again]').hidden = !isOver || this.#failed < 2;
    this.#part('[data-copy-all]').hidden = !areSeveral;
    this.#part('[data-copy-all]').dataset['copy'] = JSON.stringify(this.#made, undefined, 1);
    const zip = this.#part('[data-zip]');
    zip.hidden = !areSeveral;
    zip.querySelector('input')!.value = this.#made.map(({ uuid }) => uuid).join();
  }

  #summary(): string {
    const made = this.#made.length;
    if (this.#failed === 0)
      return counted(made, { one: 'Your skin is ready.', other: 'All {0} skins are ready.' });
    return this.#all === 1
      ? say('The skin was not made.')
      : say('{0} of {1} made, {2} failed.', count(made), count(this.#all), count(this.#failed));
  }

  #progress(): string {
    const { all, ended, began } = this.#inRun;
    if (all === 1) return say('Making your skin.');
    if (ended === 0) return say('{0} of {1}', 0, count(all));
    const seconds = Math.ceil((((performance.now() - began) / ended) * (all - ended)) / 1_000);
    return seconds < 120
      ? say('{0} of {1}, about {2} s', count(ended), count(all), seconds)
      : say('{0} of {1}, about {2} min', count(ended), count(all), Math.round(seconds / 60));
  }
}
