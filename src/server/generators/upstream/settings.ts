import type { SkinVisibility } from '../../../protocol/skin.ts';

/** The service that makes the skins, and as whom it is asked. */
export interface UpstreamSettings {
  /** Its root, with or without `/v2` at its end. */
  readonly url: string;
  readonly apiKey: string;
  /** Jobs that may be there at one time; default: what the key's plan has. A plan with fewer lowers it. */
  readonly spots?: number | undefined;
  /**
   * What skins are there; default: unlisted. A private skin is asked for as a private one where the key's plan
   * has such skins, whatever is set here.
   */
  readonly visibility?: SkinVisibility | undefined;
}

/** The service says that the key is not valid, so nothing would ever be made. */
export class UpstreamKeyError extends Error {
  override readonly name = 'UpstreamKeyError';
  readonly code = 'upstream_key_refused';

  constructor(url: string, cause: unknown) {
    super(`${url} does not accept the key that is given for it.`, { cause });
  }
}
