import { z } from 'zod';
import { skinNameProblem } from '../../../client/skin-name.ts';
import { VISIBILITIES, visibilitySchema } from '../../../protocol/skin.ts';
import type { VariantWish } from '../../types.ts';

const VARIANTS = ['auto', 'classic', 'slim'] as const satisfies readonly VariantWish[];

/** The columns of a list; it may have more. */
export const COLUMNS = ['source', 'name', 'variant', 'visibility'] as const;
export type Column = (typeof COLUMNS)[number];

const name = z.string('must be text').superRefine((value, context) => {
  const problem = skinNameProblem(value);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: `may have ${problem}` });
});

const rowSchema = z.object({
  source: z.string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be text') }),
  name: name.optional(),
  variant: z.enum(VARIANTS, `must be one of ${VARIANTS.join(', ')}`).optional(),
  visibility: z.enum(visibilitySchema.enum, `must be one of ${VISIBILITIES.join(', ')}`).optional(),
});

/** What a row of a list asks for. */
export type Row = z.infer<typeof rowSchema>;

/** A row, or why it is none: a phrase that continues "Line 3 of list.csv: ". `line`: where it begins, from 1. */
export type ListRow =
  | { readonly line: number; readonly row: Row }
  | { readonly line: number; readonly fault: string };

/** A row of these values; empty ones are as good as absent. */
export function checkedRow(line: number, values: Readonly<Partial<Record<Column, unknown>>>): ListRow {
  const given = COLUMNS.map((column) => [column, trimmed(values[column])] as const);
  const checked = rowSchema.safeParse(Object.fromEntries(given));
  if (checked.success) return { line, row: checked.data };
  const [issue] = checked.error.issues;
  return { line, fault: `the column ${String(issue?.path[0])} ${issue?.message}` };
}

function trimmed(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? undefined;
  return value.trim() || undefined;
}
