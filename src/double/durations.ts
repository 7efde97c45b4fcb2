import { z } from 'zod';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const FORM = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;
/** Milliseconds: thirty days. */
const LONGEST = 30 * 24 * 3_600_000;

export const DURATION_FORM = 'must be a time such as 500ms, 1.5s, 2m or 1h';

/** A time in milliseconds, or a text such as 500ms, 1.5s, 2m or 1h. */
export const durationSchema = z
  .union([z.number().min(0).max(LONGEST), z.string().regex(FORM)], { error: DURATION_FORM })
  .transform((given) => (typeof given === 'number' ? given : millisecondsOf(given)));

function millisecondsOf(text: string): number {
  const [, number = '0', unit = 'ms'] = FORM.exec(text) ?? [];
  return Number(number) * UNITS[unit as keyof typeof UNITS];
}
