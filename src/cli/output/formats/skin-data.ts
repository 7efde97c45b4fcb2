/** The fields of a finished skin that formats need; `json` prints any others too. */
export interface SkinData {
  readonly name?: string | undefined;
  /** Base64 of the textures document. */
  readonly value: string;
  /** Base64 of the RSA signature over `value`. */
  readonly signature: string;
}
