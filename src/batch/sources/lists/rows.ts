import { z } from 'zod';
import { skinNameProblem } from '../../../client/skin-name.ts';
import { safeParse } from '../../../protocol/parsing.ts';
import { VISIBILITIES, visibilitySchema } from '../../../protocol/skin.ts';
import type { VariantWish } from '../../model/source.ts';
import type { SkinInJson } from '../given/skin-json.ts';

const VARIANTS = ['auto', 'classic', 'slim'] as const satisfies readonly VariantWish[];

/** The columns of a list; it may have more. */
export const COLUMNS = ['source', 'name', 'variant', 'visibility'] as const;
export type Column = (typeof COLUMNS)[number];

const name = z.string('must be text').superRefine((value, context) => {
  const problem = skinNameProblem(value);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: `may contain ${problem}` });
});

const rowSchema = z.object({
  source: z.string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be text') }),
  name: name.optional(),
  variant: z.enum(VARIANTS, `must be one of ${VARIANTS.join(', ')}`).optional(),
  visibility: z.enum(visibilitySchema.enum, `must be one of ${VISIBILITIES.join(', ')}`).optional(),
});

/** The options of a list's row. */
export type Row = z.infer<typeof rowSchema>;

/** A row, or its problem: a phrase that continues "Line 3 of list.csv: ". `line`: where it begins, from 1. */
export type ListRow =
  | { readonly line: number; readonly row: Row }
  /** Skin data, if the row says so. */
  | { readonly line: number; readonly skin: SkinInJson }
  | { readonly line: number; readonly fault: string };

/** A row with these values; empty ones count as absent. */
export function checkedRow(line: number, values: Readonly<Partial<Record<Column, unknown>>>): ListRow {
  const given = COLUMNS.map((column) => [column, trimmed(values[column])] as const);
  const checked = safeParse(rowSchema, Object.fromEntries(given));
  if (checked.success) return { line, row: checked.data };
  const [issue] = checked.error.issues;
  return { line, fault: `the column ${String(issue?.path[0])} ${issue?.message}` };
}

function trimmed(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? undefined;
  return value.trim() || undefined;
}
