import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { VERSION } from '../../base/version.ts';
import { ANSWER_HEADERS, answersAt, headersOf, meaningOf } from './described-answers.ts';
import { isV1Address, type Route } from './route.ts';

type Json = Record<string, unknown>;

/** The address as OpenAPI names it: `{name}` for a placeholder, and what its pattern demands behind it. */
export function describedAddress(path: string): string {
  return path.replaceAll(
    /:(\w+)(?:\{.*?(\\\.zip)?\}$)?/g,
    (_, name: string, end = '') => `{${name}}${end.slice(1)}`,
  );
}

/**
 * Describes the service in OpenAPI 3.1, generated from the schemas of its routes. It works in small steps: the whole
 * takes a tenth of a second, for which the service would not answer anyone.
 */
export async function describeApi(routes: readonly Route[]): Promise<Json> {
  const schemas = new Schemas();
  const paths: Record<string, Json> = {};
  for (const one of routes) {
    await nextTurn();
    for (const path of one.paths) {
      const address = describedAddress(path);
      paths[address] = { ...paths[address], ...describeMethods(one, path, schemas) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'skinsmith',
      summary: 'Makes signed skin data for Minecraft',
      version: VERSION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{}, { apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer' },
        keyInQuery: {
          type: 'apiKey',
          in: 'query',
          name: 'key',
          description: 'Deprecated, and for version 1 only: addresses end up in logs',
        },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      schemas: schemas.named,
    },
  };
}

/** Converts Zod schemas to JSON schemas. A schema with an id is described once, under its name. */
class Schemas {
  readonly named: Record<string, Json> = {};
  readonly #made = { input: new Map<z.ZodType, Json>(), output: new Map<z.ZodType, Json>() };

  toJson(schema: z.ZodType, io: 'input' | 'output'): Json {
    const known = this.#made[io].get(schema);
    if (known) return known;
    const text = JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
    const { $schema, $defs, ...json } = JSON.parse(
      text.replaceAll('"#/$defs/', '"#/components/schemas/'),
    ) as Json & { $defs?: Record<string, Json> };
    Object.assign(this.named, $defs);
    this.#made[io].set(schema, json);
    return json;
  }
}

const STAND_IN = 'MineSkin-User-Agent';
const PARAMETERS = {
  'User-Agent': describeHeader(
    'User-Agent',
    'The name of the calling program; answers to requests without it have a warning',
  ),
  [STAND_IN]: describeHeader(STAND_IN, 'The same, for web pages, which cannot set User-Agent'),
};

const HEADERS = Object.fromEntries(
  Object.entries(ANSWER_HEADERS).map(([name, description]) => [
    name,
    { description, required: true, schema: { type: 'string' } },
  ]),
);

function describeHeader(name: string, description: string): Json {
  return { name, in: 'header', description, schema: { type: 'string' } };
}

/** Read-only routes also support HEAD. */
function describeMethods(one: Route, path: string, schemas: Schemas): Json {
  const method = one.method.toLowerCase();
  const operation = describeOperation(one, path, schemas);
  if (one.method !== 'GET' || one.changes) return { [method]: operation };
  return { get: operation, head: withoutBodies(operation, `head${operationName(path)}`) };
}

function describeOperation(one: Route, path: string, schemas: Schemas): Json {
  return {
    operationId: `${one.method.toLowerCase()}${operationName(path)}`,
    summary: one.summary,
    ...(one.deprecated && { deprecated: true }),
    ...securityOf(one, path),
    parameters: [
      ...describeParameters(one.params, 'path', schemas),
      ...describeParameters(one.query, 'query', schemas),
      ...describeParameters(one.headers, 'header', schemas),
      ...Object.keys(PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(one.bodies && { requestBody: describeBody(one.bodies, schemas) }),
    responses: Object.fromEntries(
      Object.entries(answersAt(one, path)).map(([status, answer]) => [
        status,
        describeAnswer(Number(status), answer, { headers: headersOf(one, path, Number(status)), schemas }),
      ]),
    ),
  };
}

/** In version 1, the key may be in the query. */
function securityOf({ authenticated }: Route, path: string): Json {
  if (!authenticated) return { security: [] };
  return isV1Address(path) ? { security: [{}, { apiKey: [] }, { keyInQuery: [] }] } : {};
}

function operationName(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9]+(\w?)/g, (_, first: string) => first.toUpperCase());
}

function withoutBodies(operation: Json, operationId: string): Json {
  const responses = operation['responses'] as Record<string, Json>;
  const heads = Object.entries(responses).map(([status, { content: _, ...rest }]) => [status, rest]);
  return { ...operation, operationId, responses: Object.fromEntries(heads) };
}

function describeParameters(
  schema: z.ZodObject | undefined,
  place: 'path' | 'query' | 'header',
  schemas: Schemas,
): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemas.toJson(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

function describeBody(bodies: Readonly<Record<string, z.ZodType>>, schemas: Schemas): Json {
  const isOptional = Object.values(bodies).some((schema) => schema.safeParse({}).success);
  const content = Object.fromEntries(
    Object.entries(bodies).map(([type, schema]) => [type, { schema: schemas.toJson(schema, 'input') }]),
  );
  return { required: !isOptional, content };
}

function describeAnswer(
  status: number,
  answer: z.ZodType | string | null,
  { headers, schemas }: { headers: readonly string[]; schemas: Schemas },
): Json {
  const description = {
    description: meaningOf(status),
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  };
  if (answer === null) return description;
  if (typeof answer === 'string') return { ...description, content: { [answer]: {} } };
  return {
    ...description,
    content: { 'application/json': { schema: schemas.toJson(answer, 'output') } },
  };
}
