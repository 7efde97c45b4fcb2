import type { Selectable } from 'kysely';
import type { Tables } from '../../../../src/server/store/schema/tables.ts';

/** Some rows of each table. Who adds a table adds rows of it, with something in every column. */
export type Rows = { readonly [Name in keyof Tables]: readonly Selectable<Tables[Name]>[] };
