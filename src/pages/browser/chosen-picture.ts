import type { Variant } from '../../skin/regions.ts';
import { smallButton } from './buttons.ts';
import { type Examined, examine, repairedFile } from './examine.ts';
import { say } from './language.ts';
import { ResultRow } from './result-row.ts';
import { whyNot3d } from './viewer.ts';

interface ChosenOptions {
  /** The arms chosen in the form; undefined: detect. */
  readonly wanted: () => Variant | undefined;
  readonly onPreview: (file: File, variant: Variant) => Promise<void>;
  readonly onRemove: (picture: ChosenPicture) => void;
  readonly onExamined: (picture: ChosenPicture) => void;
  /** The name of another chosen file with the same picture. */
  readonly twinOf: (picture: ChosenPicture) => string | undefined;
}

/** A picture that has been chosen but not sent. */
export class ChosenPicture {
  readonly row: ResultRow;
  /** Settles when it is known whether the picture can be sent. */
  examined: Promise<Examined>;
  /** What the check found; undefined: it is under way. */
  found: Examined | undefined;
  #file: File;
  readonly #options: ChosenOptions;

  constructor(file: File, options: ChosenOptions) {
    this.#file = file;
    this.#options = options;
    this.row = new ResultRow(file.name);
    this.examined = this.#examine();
  }

  get file(): File {
    return this.#file;
  }

  /** Checks it again after the form's arms have changed. */
  examineAgain(): void {
    this.examined = this.#examine();
  }

  async #examine(): Promise<Examined> {
    const file = this.#file;
    const wanted = this.#options.wanted();
    this.found = undefined;
    const found = await examine(file, wanted);
    if (file !== this.#file || wanted !== this.#options.wanted()) return found; // a later check reports
    this.found = found;
    if (found.problem) this.#tellProblem(found.problem);
    else this.#tellReady(found);
    this.#options.onExamined(this);
    return found;
  }

  #tellProblem({ message, repair }: NonNullable<Examined['problem']>): void {
    this.row.fail(message);
    const button = repair && smallButton(repair, () => void this.repair());
    this.row.offer([...(button ? [button] : []), this.#removeButton()]);
  }

  #tellReady({ picture, variant, warnings }: Extract<Examined, { problem?: undefined }>): void {
    this.row.draw(picture, variant);
    this.row.say(variant === 'slim' ? say('Ready, with slim arms') : say('Ready, with classic arms'));
    const twin = this.#options.twinOf(this);
    this.row.note(twin === undefined ? warnings : [say('The same picture as {0}', twin), ...warnings]);
    const preview = smallButton(say('Preview in 3D'), (button) => {
      this.#options.onPreview(this.#file, variant).then(
        () => (button.textContent = say('Preview in 3D')),
        (error: unknown) => (button.textContent = whyNot3d(error)),
      );
    });
    this.row.offerName([preview, this.#removeButton()]);
  }

  #removeButton(): HTMLButtonElement {
    return smallButton(say('Remove'), () => this.#options.onRemove(this));
  }

  /** Repairs it if the page can. */
  async repair(): Promise<void> {
    if (this.found?.problem?.repair === undefined) return;
    try {
      this.#file = await repairedFile(this.#file);
      this.examined = this.#examine();
    } catch {
      this.row.fail(say('This browser cannot repair it. Save it again in your editor.'));
    }
  }
}
