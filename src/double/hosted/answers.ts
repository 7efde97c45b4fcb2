import type { z } from 'zod';
import type { Note } from '../../protocol/envelope.ts';
import { jsonReply, type Reply } from '../replies.ts';

/** Notes and headers collected while answering a request. */
interface Collected {
  readonly warnings: readonly Note[];
  readonly links: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

interface Said {
  readonly status?: number;
  readonly messages?: readonly Note[];
}

export function note(code: string, message: string): Note {
  return { code, message };
}

/** `formatV2Response`: a success with what was collected on the way; it has no `errors`. */
export function success(
  { warnings, links, headers }: Collected,
  content: Record<string, unknown>,
  { status = 200, messages = [] }: Said = {},
): Reply {
  return jsonReply(status, { success: true, ...content, warnings, messages, links }, headers);
}

/** The published server's MineSkinError: one code and sentence, perhaps with what was behind it. */
export class HostedRefusal extends Error {
  readonly status: number;
  readonly errors: readonly Note[];

  constructor(status: number, code: string, message: string, ...causes: readonly Note[]) {
    super(message);
    this.status = status;
    this.errors = [note(code, message), ...causes];
  }
}

/** The errors of zod; the published server uses the codes of version 3. */
export class InvalidRequest extends Error {
  readonly issues: readonly Note[];

  constructor({ issues }: z.ZodError) {
    super('Validation error');
    this.issues = issues.map(({ code, message, path }) =>
      note(ZOD_3[code] ?? code, `${message} (${path.join('.')})`),
    );
  }
}

const ZOD_3: Readonly<Record<string, string>> = {
  invalid_format: 'invalid_string',
  invalid_value: 'invalid_enum_value',
};

/** @throws InvalidRequest */
export function parseOrRefuse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { data, error } = schema.safeParse(value);
  if (error) throw new InvalidRequest(error);
  return data as z.output<S>;
}
