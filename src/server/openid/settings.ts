/** What a claim must hold. */
export interface ClaimTest {
  /** Its name, or its path with dots between the names. */
  readonly claim: string;
  /** The text that it is, or has in its list; undefined: the claim is `true`. */
  readonly value: string | undefined;
}

/** The OpenID Connect provider that people sign in with. */
export interface OpenIdSettings {
  /** Its address, exactly as the provider writes it: a slash at the end counts. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a client without a secret, which only PKCE protects. */
  readonly clientSecret?: string | undefined;
  /** What the button calls it: "Sign in with …". */
  readonly name: string;
  /** With spaces between them; `openid` must be one. */
  readonly scopes: string;
  /** The claim that names the plan, or has it in its list; undefined: operators decide. */
  readonly planClaim?: string | undefined;
  /** Who is an operator; undefined: the store decides. */
  readonly operatorClaim?: ClaimTest | undefined;
  /** Who may sign in; undefined: everybody whom the provider lets in. */
  readonly requiredClaim?: ClaimTest | undefined;
}
