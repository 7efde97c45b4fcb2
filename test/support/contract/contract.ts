import type { ValidateFunction } from 'ajv';

/** What an answer may be: by content type the name of its validator, or null where there is nothing to judge by. */
export interface KnownAnswer {
  readonly contents: Readonly<Record<string, string | null>>;
  /** Headers that it has. */
  readonly headers: readonly string[];
}

/** A description of a service, made ready to judge answers by. */
export interface Contract {
  /** By operation (`get /v2/skins/{uuid}`) and status. */
  readonly operations: Readonly<Record<string, Readonly<Record<string, KnownAnswer>>>>;
  /** Those that have a name of their own. */
  readonly responses: Readonly<Record<string, KnownAnswer>>;
  readonly validators: Readonly<Record<string, ValidateFunction>>;
}

/** What a service has answered. */
export interface Exchange {
  readonly method: string;
  /** Path and query. */
  readonly address: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly bytes: Uint8Array;
}

/** What is wrong with a body as this answer, if anything. */
export function faultOf(contract: Contract, answer: KnownAnswer, body: unknown): string | undefined {
  const name = answer.contents['application/json'];
  if (name === undefined) return 'it is not to be JSON';
  if (name === null) return undefined;
  const validate = contract.validators[name];
  if (!validate) throw new Error(`There is no validator ${name}.`);
  if (validate(body)) return undefined;
  const [error] = validate.errors ?? [];
  return `${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`;
}
