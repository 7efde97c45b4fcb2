import { type Compilable, CompiledQuery, type QueryResult } from 'kysely';
import type { Db } from './db.ts';

/** Stands for a value while a query is built. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** `literals` become part of the text: SQLite uses no partial index for a parameter. */
type Build<Values, Row> = (db: Db, values: Values, ...literals: string[]) => Compilable<Row>;

/**
 * A query for which SQL is made once, for those that every skin needs: building one takes several times as long as SQLite
 * takes to run it. Its form may depend on the kind of database, on the literals, and on which values there are.
 */
export class PreparedQuery<Values extends object, Row> {
  readonly #build: Build<Values, Row>;

  constructor(build: Build<Values, Row>) {
    this.#build = build;
  }

  async run(db: Db, values: Values, ...literals: string[]): Promise<QueryResult<Row>> {
    const { sql, parameters } = this.#compiled(db, values, literals);
    const given = values as Readonly<Record<string, unknown>>;
    const bound = parameters.map((one) => (one instanceof Placeholder ? given[one.name] : one));
    return await db.executeQuery<Row>(CompiledQuery.raw(sql, bound));
  }

  async all(db: Db, values: Values, ...literals: string[]): Promise<Row[]> {
    return (await this.run(db, values, ...literals)).rows;
  }

  async first(db: Db, values: Values, ...literals: string[]): Promise<Row | undefined> {
    return (await this.run(db, values, ...literals)).rows[0];
  }

  #compiled(db: Db, values: Values, literals: readonly string[]): CompiledQuery {
    const forms = this.#formsOf(db);
    let form = literals.join();
    for (const [name, value] of Object.entries(values)) if (!isAbsent(value)) form += ` ${name}`;
    const known = forms.get(form);
    if (known) return known;
    const made = this.#build(db, withPlaces(values), ...literals).compile();
    forms.set(form, made);
    return made;
  }

  #formsOf({ store: { preparedTexts } }: Db): Map<string, CompiledQuery> {
    const known = preparedTexts.get(this.#build);
    if (known) return known;
    const forms = new Map<string, CompiledQuery>();
    preparedTexts.set(this.#build, forms);
    return forms;
  }
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}

function withPlaces<Values extends object>(values: Values): Values {
  const places = Object.entries(values).map(([name, value]) => [
    name,
    isAbsent(value) ? value : new Placeholder(name),
  ]);
  return Object.fromEntries(places) as Values;
}
