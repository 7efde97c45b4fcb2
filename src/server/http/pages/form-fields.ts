import { z } from 'zod';

/** A field that may come several times, such as boxes that are checked: all its values. */
export function several<S extends z.ZodType>(one: S) {
  return z.preprocess((value) => (value === undefined ? [] : [value].flat()), z.array(one));
}

/** A text of several values, one on each line or between commas. */
export const lines = z
  .string()
  .max(8_192)
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''));

/** A box: checked, or not sent. */
export const checked = z
  .string()
  .optional()
  .transform((value) => value !== undefined);

/** A select or text field whose empty value means: none. */
export function orNone<S extends z.ZodType>(schema: S) {
  return z.union([z.literal('').transform(() => undefined), schema]).optional();
}
