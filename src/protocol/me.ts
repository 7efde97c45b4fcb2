import { z } from 'zod';
import { envelopeSchema } from './envelope.ts';

const keyInfoSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** The user's UUID without dashes. */
  user: z.string(),
  createdAt: z.iso.datetime(),
  /** Where and by what it may be used; empty: anywhere, by anything. */
  allowedOrigins: z.array(z.string()),
  allowedIps: z.array(z.string()),
  allowedAgents: z.array(z.string()),
  /** There are no credits any more. */
  useCredits: z.literal(false),
});
/** An API key, as /v2/me tells of it. */
export type KeyInfo = z.infer<typeof keyInfoSchema>;

/** GET /v2/me/apikey and /v2/me/apikeys */
export const meKeyAnswerSchema = envelopeSchema.extend({ key: keyInfoSchema });
export const meKeysAnswerSchema = envelopeSchema.extend({ keys: z.array(keyInfoSchema) });

const clientInfoSchema = z.object({
  /** Name of the program, of its user agent. */
  agent: z.string().optional(),
  origin: z.string().optional(),
  /** Id of the API key. */
  key: z.string().optional(),
  /** Absent without a key. */
  user: z.string().optional(),
  ip: z.string(),
  /** Nobody is charged. */
  billable: z.literal(false),
});
export type ClientInfo = z.infer<typeof clientInfoSchema>;

/** GET /v2/me/client */
export const meClientAnswerSchema = envelopeSchema.extend({ client: clientInfoSchema });
