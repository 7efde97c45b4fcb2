import { z } from 'zod';
import { envelopeSchema } from './envelope.ts';
import { userNameSchema } from './user.ts';

const identitySchema = z
  .object({
    /** 24 hexadecimal digits. */
    id: z.string(),
    /** Address of the provider. */
    issuer: z.string(),
    /** The provider's own id for the person. */
    subject: z.string(),
    /** When it was tied to the user. */
    createdAt: z.iso.datetime(),
    /** Whether it is the only way in: there is no other identity, and no API key that signs in from anywhere. */
    isLastWay: z.boolean(),
  })
  .meta({ id: 'Identity' });
/** A person at an OpenID Connect provider who signs in as a user of the service. */
export type Identity = z.infer<typeof identitySchema>;

export const identityListAnswerSchema = envelopeSchema.extend({ identities: z.array(identitySchema) });

/** GET /v2/account/identities */
export const identityListQuerySchema = z.object({ user: userNameSchema.optional() });

/** DELETE /v2/account/identities/:id */
export const untieQuerySchema = identityListQuerySchema.extend({
  /** Unties it even if it is the only way in. */
  last: z.enum(['yes', 'no']).default('no'),
});
export const identityIdSchema = z.string().regex(/^[0-9a-f]{24}$/, 'not the id of an identity');
