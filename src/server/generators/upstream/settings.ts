import type { SkinVisibility } from '../../../protocol/skin.ts';

/** The service that makes the skins, and the key to use there. */
export interface UpstreamSettings {
  /** Its root, with or without a trailing `/v2`. */
  readonly url: string;
  readonly apiKey: string;
  /** Also send the key over plain http to public addresses. */
  readonly insecureHttp?: boolean | undefined;
  /** Time limit of one request in milliseconds; default: that of every client. */
  readonly timeout?: number | undefined;
  /**
   * Maximum number of jobs on the service at one time; default: that of the key's plan. A plan with fewer lowers it.
   */
  readonly spots?: number | undefined;
  /**
   * Visibility of the skins on the service; default: unlisted. A private skin is requested as private if the key's plan
   * allows such skins, regardless of this setting.
   */
  readonly visibility?: SkinVisibility | undefined;
}

/** The service rejects the key as invalid, so no skin could ever be made. */
export class UpstreamKeyError extends Error {
  override readonly name = 'UpstreamKeyError';
  readonly code = 'upstream_key_refused';

  constructor(url: string, cause: unknown) {
    super(`${url} does not accept the key that is given for it.`, { cause });
  }
}
