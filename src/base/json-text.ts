import { hash } from 'node:crypto';

/** A value as JSON, for when it is written several times: the text is made once, and so is its name. */
export class JsonText {
  readonly text: string;
  #digest: string | undefined;

  /** @throws TypeError for what JSON cannot express */
  constructor(value: object) {
    this.text = JSON.stringify(value);
  }

  /** Names the text: its SHA-1 in base64url. */
  get digest(): string {
    this.#digest ??= hash('sha1', this.text, 'base64url');
    return this.#digest;
  }
}
