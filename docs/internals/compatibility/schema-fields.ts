/** Part of an OpenAPI description. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Answer {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

export interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Maximum depth, because schemas may contain themselves. */
const DEEPEST = 8;

/** The fields of an operation's successful answers, such as `skin.texture.data.value`, `skins[].uuid` and `links.*` (any name). */
export function answerFields(description: Description, { responses }: Operation): Set<string> {
  const fields = new Set<string>();
  for (const [status, answer] of Object.entries(responses)) {
    if (!status.startsWith('2')) continue;
    const { content = {} } = resolve(description, answer);
    addFields(description, fields, content['application/json']?.schema, '');
  }
  return fields;
}

/** The possible fields of a body in any of its content types. */
export function bodyFields(description: Description, { requestBody }: Operation): Set<string> {
  const fields = new Set<string>();
  for (const { schema } of Object.values(requestBody?.content ?? {}))
    addFields(description, fields, schema, '');
  return fields;
}

function addFields(
  description: Description,
  fields: Set<string>,
  given: Schema | undefined,
  path: string,
): void {
  if (!given || path.split('.').length > DEEPEST) return;
  const schema = resolve(description, given);
  for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    addFields(description, fields, part, path);
  if (typeof schema.additionalProperties === 'object' && path !== '') fields.add(`${path}.*`);
  if (schema.items) addFields(description, fields, schema.items, `${path}[]`);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const field = path === '' ? name : `${path}.${name}`;
    fields.add(field);
    addFields(description, fields, property, field);
  }
}

/** The target of a reference. */
function resolve<T extends { readonly $ref?: string }>(description: Description, part: T): T {
  if (part.$ref === undefined) return part;
  const [kind = '', name = ''] = part.$ref.replace('#/components/', '').split('/');
  const target = description.components[kind]?.[name] as T | undefined;
  if (!target) throw new Error(`The description has no ${part.$ref}.`);
  return resolve(description, target);
}
