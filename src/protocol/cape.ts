import { z } from 'zod';
import { changesSomething, envelopeSchema, lineOfText, receivedEnvelopeSchema } from './envelope.ts';

/** `public`: anyone with the grant `capes` may generate with it. `none`: hidden, no one may. */
const CAPE_SUPPORTS = ['public', 'none'] as const;
const supportSchema = z.enum(CAPE_SUPPORTS);
/** Who may use a cape. */
export type CapeSupport = z.infer<typeof supportSchema>;

const capeSchema = z
  .object({
    /** With dashes, as published. */
    uuid: z.string(),
    alias: z.string(),
    /** Of the texture. */
    hash: z.string(),
    url: z.string(),
    support: supportSchema,
    /** Deprecated: `support` is `public`. */
    supported: z.boolean(),
  })
  .meta({ id: 'Cape' });
/** A cape as this service writes it. */
export type WireCape = z.infer<typeof capeSchema>;

/** A cape as a client reads it: the hosted service also lists capes of players' accounts. */
export interface Cape {
  /** For the option `cape` of a skin. */
  uuid: string;
  /** Its name; empty if the service gives none. */
  alias: string;
  /** Hash of the texture. */
  hash?: string | undefined;
  /** Address of the texture. */
  url: string;
  /** `public`: anyone with the grant `capes` may use it. Services have other words too. */
  support?: string | undefined;
  /** Deprecated: whether `support` is `public`. */
  supported?: boolean | undefined;
}

const receivedCapeSchema = z.object({
  uuid: z.string(),
  alias: z.string().catch(''),
  hash: z.string().optional().catch(undefined),
  url: z.string(),
  support: z.string().optional().catch(undefined),
  supported: z.boolean().optional().catch(undefined),
}) satisfies z.ZodType<Cape>;

export const capeAnswerSchema = envelopeSchema.extend({ cape: capeSchema });
export const capeListAnswerSchema = envelopeSchema.extend({ capes: z.array(capeSchema) });
export const receivedCapeAnswerSchema = receivedEnvelopeSchema.extend({ cape: receivedCapeSchema });
export const receivedCapeListAnswerSchema = receivedEnvelopeSchema.extend({
  capes: z.array(receivedCapeSchema),
});

const aliasSchema = lineOfText(48);

/** Fields of POST /v2/account/capes, beside the file. */
export const capeFieldsSchema = z.strictObject({
  alias: aliasSchema,
  support: supportSchema.default('public'),
});
/** A cape to be added: `alias` has at most 48 characters; `support` default: `public`. */
export type CapeInput = z.input<typeof capeFieldsSchema>;

/** PATCH /v2/account/capes/:uuid */
export const capeChangeSchema = z
  .strictObject({ alias: aliasSchema, support: supportSchema })
  .partial()
  .refine(changesSomething, 'nothing to change');
/** What to change about a cape: at least one of its alias and whether it is shown. */
export type CapeChange = z.input<typeof capeChangeSchema>;
