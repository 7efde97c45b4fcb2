/** What a format needs of a finished skin; `json` gives whatever else is there, too. */
export interface SkinData {
  readonly name?: string | undefined;
  /** Base64 of the textures document. */
  readonly value: string;
  /** Base64 of the RSA signature over `value`. */
  readonly signature: string;
}
