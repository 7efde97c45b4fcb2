import { hash } from 'node:crypto';

/** A value as JSON for answers that are written several times: its text and its digest are made once. */
export class JsonText {
  readonly text: string;
  #digest: string | undefined;

  /** @throws TypeError for what JSON cannot express */
  constructor(value: object) {
    this.text = JSON.stringify(value);
  }

  /** The SHA-1 of the text in base64url. */
  get digest(): string {
    this.#digest ??= hash('sha1', this.text, 'base64url');
    return this.#digest;
  }
}
