import type { ColumnType, Generated } from 'kysely';

/** Column types whose names differ between the databases. */
export interface ColumnTypes {
  readonly text: string;
  readonly bytes: string;
  readonly real: string;
  /** The number of a row. */
  readonly rowNumber: string;
  /** The suffix of a primary key's type that numbers rows in insertion order. */
  readonly numbered: string;
}

/** A column: its SQL, with the words of `ColumnTypes` for types that the databases call differently. */
export interface Column<Type> {
  readonly sql: string;
  /** Of its values. Only the compiler knows it. */
  readonly type: Type;
}

/** The rows of a table with these columns, for Kysely. */
export type TableOf<Columns> = {
  [Name in keyof Columns]: Columns[Name] extends Column<infer Type> ? Type : never;
};

export function column<Type>(sql: string): Column<Type> {
  return { sql } as Column<Type>;
}

/** The primary key. */
export const key = column<string>('text primary key');
/** The primary key that numbers rows in the order of insertion. */
export const numbered = column<Generated<number>>('rowNumber numbered');
/** The number of a row of another table. */
export const row = column<number>('rowNumber not null');
export const text = column<string>('text not null');
export const int = column<number>('integer not null');
/** Also for times: milliseconds since the epoch. */
export const bigint = column<number>('bigint not null');
export const real = column<number>('real not null');
export const bytes = column<Uint8Array>('bytes not null');

/** One of a few texts. */
export function oneOf<Text extends string>(): Column<Text> {
  return column(text.sql);
}

export function orNull<Type>({ sql }: Column<Type>): Column<Type | null> {
  return column(sql.replace(' not null', ''));
}

/** Null if it is left out. */
export function optional<Type>(of: Column<Type>): Column<ColumnType<Type | null, Type | null | undefined>> {
  return column(orNull(of).sql);
}

export function byDefault<Type>({ sql }: Column<Type>, value: number): Column<Generated<Type>> {
  return column(sql.replace(' not null', ` default ${value} not null`));
}

export function unique<Type>({ sql }: Column<Type>): Column<Type> {
  return column(`${sql} unique`);
}

/** @param where table and column; the rule for its deletion */
export function references<Type>({ sql }: Column<Type>, where: string): Column<Type> {
  return column(`${sql} references ${where}`);
}

/** The SQL of a column in one of the databases. */
export function sqlIn(types: ColumnTypes, { sql }: Column<unknown>): string {
  return sql.replace(
    /\b(?:text|bytes|real|rowNumber|numbered)\b/g,
    (word) => types[word as keyof ColumnTypes],
  );
}
