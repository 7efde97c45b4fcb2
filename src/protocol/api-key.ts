import { isIP, isIPv4 } from 'node:net';
import { z } from 'zod';
import { changesSomething, envelopeSchema, lineOfText } from './envelope.ts';
import { userNameSchema } from './user.ts';

/**
 * The scopes of a key. `read`: the user's own jobs and skins, including private ones; `generate`; `skins`: edit and
 * delete them; `account`: keys and game accounts; `operator`: run the service, with an operator's key.
 */
export const SCOPES = ['read', 'generate', 'skins', 'account', 'operator'] as const;
/** What a key may be used for. */
export type Scope = (typeof SCOPES)[number];

/** An API key as its owner sees it; the key itself is returned only when it is created. */
export interface ApiKey {
  id: string;
  name: string;
  /** Name of its user. */
  user: string;
  /** Last four characters, to tell keys apart. */
  last4: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  lastUsedAt?: string | undefined;
  /** New skins requested with it; absent on services that do not count them. */
  generations?: number | undefined;
  /** Addresses and networks that it may be used from; empty: no restriction. */
  allowedIps: string[];
  /** Origins of pages that may use it; empty: no restriction. */
  allowedOrigins: string[];
  /** Programs that may use it, by the product name in their user agent; empty: no restriction. */
  allowedAgents: string[];
  /** Whether version 1 requests with it go through the queue of version 2. */
  v2Compat: boolean;
  /** Absent on services that predate scopes. */
  scopes?: Scope[] | undefined;
}

const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    user: z.string(),
    last4: z.string(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().optional(),
    generations: z.number().optional(),
    allowedIps: z.array(z.string()).default([]),
    allowedOrigins: z.array(z.string()).default([]),
    allowedAgents: z.array(z.string()).default([]),
    v2Compat: z.boolean().default(false),
    scopes: z.array(z.enum(SCOPES)).optional(),
  })
  .meta({ id: 'ApiKey' }) satisfies z.ZodType<ApiKey>;

/** A key that was just made. `secret`, the key itself, is returned only here. */
export interface ApiKeyMade extends ApiKey {
  secret: string;
}

export const apiKeyListAnswerSchema = envelopeSchema.extend({ keys: z.array(apiKeySchema) });
export const apiKeyAnswerSchema = envelopeSchema.extend({ key: apiKeySchema });
export const apiKeyMadeAnswerSchema = envelopeSchema.extend({
  key: apiKeySchema.extend({ secret: z.string() }) satisfies z.ZodType<ApiKeyMade>,
});

/** Maximum bindings of one kind per key. */
const MAX_BINDINGS = 50;

const keyNameSchema = lineOfText(64);

const networkSchema = z
  .string()
  .trim()
  .max(64)
  .refine(isNetwork, 'an IP address, or a network like 203.0.113.0/24 or 2001:db8::/32');

const originSchema = z
  .string()
  .trim()
  .max(256)
  .transform((text, context) => {
    const origin = originOf(text);
    if (origin !== undefined) return origin;
    context.addIssue('an origin like https://skins.example.org, without a path');
    return z.NEVER;
  });

/** A product name as in User-Agent: `MyApp` of `MyApp/1.0`. */
const productSchema = z
  .string()
  .trim()
  .max(64)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'the name alone, like MyApp for MyApp/1.0');

const scopesSchema = z
  .array(z.enum(SCOPES))
  .min(1, 'at least one scope')
  .max(SCOPES.length)
  .transform((named) => SCOPES.filter((scope) => named.includes(scope)));

const bindingSchemas = {
  allowedIps: bindings(networkSchema),
  allowedOrigins: bindings(originSchema),
  allowedAgents: bindings(productSchema),
};

/** A key that another service made. The hosted one makes 64 hexadecimal digits; nothing shorter is safe to hash as it is. */
const foreignKeySchema = z
  .string()
  .regex(/^[\w.-]{64,128}$/, 'must be 64 to 128 letters, digits, dots, dashes and underscores');

/** POST /v2/account/keys. Unknown fields are refused: a misspelt binding must not become no binding. */
export const apiKeyBodySchema = z
  .strictObject({
    name: keyNameSchema.default('key'),
    /** Operators only: the user it is for, created if new. */
    user: userNameSchema.optional(),
    /** Operators only: the text of the key, for clients that cannot be given another one. */
    secret: foreignKeySchema.optional(),
    v2Compat: z.boolean().default(false),
    /**
     * Default: the scopes of the creating key, but without `account` and `operator` if the new key is bound, or if
     * others may know it because its text was given.
     */
    scopes: scopesSchema.optional(),
  })
  .extend({
    allowedIps: bindingSchemas.allowedIps.default([]),
    allowedOrigins: bindingSchemas.allowedOrigins.default([]),
    allowedAgents: bindingSchemas.allowedAgents.default([]),
  });

/** PATCH /v2/account/keys/:id. A list replaces the previous one; an empty one lifts the restriction. */
export const apiKeyChangeSchema = z
  .strictObject({ name: keyNameSchema, v2Compat: z.boolean(), scopes: scopesSchema, ...bindingSchemas })
  .partial()
  .refine(changesSomething, 'nothing to change');
/** What to change about a key: fields left out stay as they are, and an empty list lifts its restriction. */
export type ApiKeyChange = z.input<typeof apiKeyChangeSchema>;
/** A key to be made. Without `scopes` it gets those of the key that makes it, fewer if it is bound. */
export type ApiKeyInput = z.input<typeof apiKeyBodySchema>;

function bindings<S extends z.ZodType<string>>(one: S) {
  return z
    .array(one)
    .max(MAX_BINDINGS)
    .transform((list) => [...new Set(list)]);
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  if (isIP(address) === 0 || address.includes('%') || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(address) ? 32 : 128));
}

function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  const isBare = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  return isBare ? url.origin : undefined;
}
