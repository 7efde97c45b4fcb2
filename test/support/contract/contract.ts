import type { ValidateFunction } from 'ajv';

/** A possible answer: the name of the validator by content type, or null if there is none. */
export interface KnownAnswer {
  readonly contents: Readonly<Record<string, string | null>>;
  /** Required headers. */
  readonly headers: readonly string[];
}

/** A description of a service, prepared for checking answers. */
export interface Contract {
  /** By operation (`get /v2/skins/{uuid}`) and status. */
  readonly operations: Readonly<Record<string, Readonly<Record<string, KnownAnswer>>>>;
  /** The named answers. */
  readonly responses: Readonly<Record<string, KnownAnswer>>;
  readonly validators: Readonly<Record<string, ValidateFunction>>;
}

/** A request and the service's answer. */
export interface Exchange {
  readonly method: string;
  /** Path and query. */
  readonly address: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly bytes: Uint8Array;
}

/** The fault of a body as this answer, if any. */
export function faultOf(contract: Contract, answer: KnownAnswer, body: unknown): string | undefined {
  const name = answer.contents['application/json'];
  if (name === undefined) return 'it must not be JSON';
  if (name === null) return undefined;
  const validate = contract.validators[name];
  if (!validate) throw new Error(`There is no validator ${name}.`);
  if (validate(body)) return undefined;
  const [error] = validate.errors ?? [];
  return `${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`;
}
