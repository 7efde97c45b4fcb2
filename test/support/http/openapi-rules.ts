import { z } from 'zod';

/** What OpenAPI 3.1 says of the parts of a document that ours has; what it does not have may not be there. */

const schema = z.looseObject({});
const name = z.string().regex(/^[a-zA-Z0-9._-]+$/);
const reference = (kind: string) => z.strictObject({ $ref: z.string().startsWith(`#/components/${kind}/`) });

const contents = z.record(
  z.string().regex(/^[\w.+-]+\/[\w.+-]+$/),
  z.strictObject({ schema: schema.optional() }),
);
const header = z.strictObject({
  description: z.string().min(1),
  required: z.boolean().optional(),
  schema,
});
const parameter = z
  .strictObject({
    name: z.string().min(1),
    in: z.enum(['query', 'header', 'path']),
    description: z.string().min(1).optional(),
    required: z.boolean().optional(),
    schema,
  })
  .refine((one) => one.in !== 'path' || one.required === true, 'a part of the path is required')
  .refine(
    (one) =>
      one.in !== 'header' || !['accept', 'content-type', 'authorization'].includes(one.name.toLowerCase()),
    'such a header is not described as a parameter',
  );
const answer = z.strictObject({
  description: z.string().min(1),
  headers: z.record(z.string(), reference('headers')),
  content: contents.optional(),
});
const securityRequirement = z.partialRecord(z.enum(['apiKey', 'keyInQuery']), z.array(z.string()));
const operation = z.strictObject({
  operationId: z.string().regex(/^[A-Za-z0-9]+$/),
  summary: z.string().min(8).max(120),
  deprecated: z.literal(true).optional(),
  security: z.array(securityRequirement).optional(),
  parameters: z.array(z.union([parameter, reference('parameters')])),
  requestBody: z.strictObject({ required: z.boolean(), content: contents }).optional(),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), answer),
});
export type Operation = z.infer<typeof operation>;

const pathItem = z
  .strictObject({
    get: operation,
    head: operation,
    post: operation,
    put: operation,
    patch: operation,
    delete: operation,
  })
  .partial();

export const openApiDocument = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({
    title: z.string(),
    summary: z.string(),
    version: z.string(),
    license: z.strictObject({ name: z.string(), identifier: z.string() }),
  }),
  servers: z.array(z.strictObject({ url: z.string() })),
  security: z.array(securityRequirement.or(z.strictObject({}))),
  paths: z.record(z.string().startsWith('/'), pathItem),
  components: z.strictObject({
    securitySchemes: z.record(
      name,
      z.union([
        z.strictObject({ type: z.literal('http'), scheme: z.literal('bearer') }),
        z.strictObject({
          type: z.literal('apiKey'),
          in: z.literal('query'),
          name: z.string(),
          description: z.string(),
        }),
      ]),
    ),
    parameters: z.record(name, parameter),
    headers: z.record(name, header),
    schemas: z.record(name, schema),
  }),
});
