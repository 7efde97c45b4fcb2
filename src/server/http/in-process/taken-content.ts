import type { RequestContent } from '../../../client/transport.ts';
import { bodyTooLarge } from '../limits.ts';
import type { PartLimits } from '../request.ts';
import { type Form, partsOf } from './form-parts.ts';

/** The content of a request as it was when it was sent: the caller may change its own afterwards. */
export class TakenContent {
  readonly #text: string | undefined;
  readonly #form: Form | undefined;

  constructor(content: RequestContent | undefined) {
    if (!content) return;
    if ('json' in content) this.#text = JSON.stringify(content.json);
    else {
      const { fields, file } = content;
      this.#form = { fields: { ...fields }, file: { ...file, bytes: Buffer.from(file.bytes) } };
    }
  }

  /** The JSON, if that is what was sent. `limit`: bytes of its text. @throws Refusal with status 413 */
  json(limit: number): unknown {
    if (this.#text === undefined) return undefined;
    if (Buffer.byteLength(this.#text) > limit) throw bodyTooLarge();
    return JSON.parse(this.#text);
  }

  /** The parts of a form, if that is what was sent. */
  get parts(): ((limits: PartLimits) => ReturnType<typeof partsOf>) | undefined {
    const form = this.#form;
    return form && ((limits) => partsOf(form, limits));
  }
}
