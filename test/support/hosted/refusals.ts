import type { z } from 'zod';
import type { Note } from '../../../src/protocol/envelope.ts';
import { note } from './answers.ts';

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

/** What zod found wrong; the published server uses version 3, whose codes these are. */
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
