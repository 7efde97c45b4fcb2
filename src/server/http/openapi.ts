import { z } from 'zod';
import { VERSION } from '../../version.ts';
import type { Route } from './route.ts';

type Json = Record<string, unknown>;

/** The service's own description, OpenAPI 3.1, made from the schemas its routes are built with. */
export function describeApi(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const one of routes) {
    for (const path of one.paths) {
      const address = path.replaceAll(/:(\w+)/g, '{$1}');
      const item = paths[address] ?? {};
      item[one.method.toLowerCase()] = describeOperation(one, path);
      paths[address] = item;
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'skinsmith', version: VERSION, license: { name: 'MIT', identifier: 'MIT' } },
    security: [{}, { apiKey: [] }],
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}

function describeOperation(one: Route, path: string): Json {
  return {
    operationId: `${one.method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+(\w?)/g, (_, c: string) => c.toUpperCase())}`,
    summary: one.summary,
    ...(!one.authenticated && { security: [] }),
    parameters: [
      ...describeParameters(one.params, 'path'),
      ...describeParameters(one.query, 'query'),
      ...describeParameters(one.headers, 'header'),
    ],
    ...(one.bodies && { requestBody: { required: true, content: describeContents(one.bodies, 'input') } }),
    responses: Object.fromEntries(
      Object.entries(one.answers).map(([status, answer]) => [status, describeAnswer(Number(status), answer)]),
    ),
  };
}

function describeParameters(schema: z.ZodObject | undefined, place: 'path' | 'query' | 'header'): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = toJson(schema, 'input') as {
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

function describeAnswer(status: number, answer: z.ZodType | string): Json {
  const description = status < 300 ? 'Done' : 'Refused';
  if (typeof answer === 'string') return { description, content: { [answer]: {} } };
  return { description, content: describeContents({ 'application/json': answer }, 'output') };
}

function describeContents(bodies: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): Json {
  return Object.fromEntries(
    Object.entries(bodies).map(([type, schema]) => [type, { schema: toJson(schema, io) }]),
  );
}

function toJson(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return json;
}
