import { z } from 'zod';
import { changesSomething, envelopeSchema, receivedEnvelopeSchema } from './envelope.ts';
import { uuidSchema } from './skin.ts';
import { userNameSchema } from './user.ts';

/** Who may give skins to names that nobody has yet. */
export const WARDROBE_RULES = ['operator', 'users'] as const;
export type WardrobeRule = (typeof WARDROBE_RULES)[number];

/** A name that a player can have; upper and lower case count as the same. */
export const wornNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_]{1,16}$/, 'the name of a player: A–Z, a–z, 0–9 and _, at most 16 characters');

/** The same, or the UUID of a player whose name is one of this service. */
export const wornPlayerSchema = wornNameSchema.or(uuidSchema);

/** Skins that one request asks about. */
const MAX_SKINS = 128;

/** GET /v2/me/players; `after`: the last name of the previous page, `all`: of all users (operators only). */
export const ownNamesQuerySchema = z.object({
  after: z.string().max(16).optional(),
  size: z.coerce.number().int().min(1).max(128).default(32),
  all: z.enum(['true', 'false']).default('false'),
  /** Only names that wear one of these skins: UUIDs with commas between them. */
  skins: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(uuidSchema).max(MAX_SKINS, `at most ${MAX_SKINS} skins`))
    .optional(),
});

/** PUT /v2/players/:name */
export const wearSchema = z
  .strictObject({
    /** UUID of a skin that the caller may see. */
    skin: uuidSchema.optional(),
    /** UUID of a cape; null: none. Left out: the cape that the skin was made with. */
    cape: uuidSchema.nullable().optional(),
    /** That everyone may see the texture of a private skin from now on. */
    publish: z.literal(true).optional(),
    /** Name of the user who gets the name; operators only. */
    user: userNameSchema.optional(),
  })
  .refine(({ publish: _, ...change }) => changesSomething(change), {
    error: 'Nothing to change: send a skin, a cape or a user.',
  });
/** What a player name is to show, or whose it is. */
export interface WearInput {
  readonly skin?: string | undefined;
  readonly cape?: string | null | undefined;
  readonly publish?: true | undefined;
  readonly user?: string | undefined;
}

const wornTextureSchema = z.object({ hash: z.string(), url: z.string() });

const historyEntrySchema = z
  .object({
    /** ISO 8601. */
    at: z.iso.datetime(),
    /** Name of the user who did it; absent: the user no longer exists. */
    by: z.string().optional(),
    /** UUID of the skin at that time; absent: none. */
    skin: z.string().optional(),
    /** Hash of its texture, and that of the cape; absent: none. */
    hash: z.string().optional(),
    cape: z.string().optional(),
  })
  .meta({ id: 'WornBefore' });

const playerSchema = z
  .object({
    /** As it was written last. */
    name: z.string(),
    /** UUID of the player on servers in offline mode: 32 hexadecimal digits. */
    id: z.string(),
    variant: z.enum(['classic', 'slim']).optional(),
    /** Absent: it shows no skin. */
    skin: wornTextureSchema.optional(),
    cape: wornTextureSchema.optional(),
    /** The signed data of both. */
    value: z.string().optional(),
    signature: z.string().optional(),
    /** Only for the user who has the name and for operators: the user, and the last ten changes, newest first. */
    user: z.string().optional(),
    history: z.array(historyEntrySchema).optional(),
  })
  .meta({ id: 'Player' });
/** A player name of the service with what it wears. */
export type Player = z.infer<typeof playerSchema>;

export const playerAnswerSchema = envelopeSchema.extend({ player: playerSchema });
export const receivedPlayerAnswerSchema = receivedEnvelopeSchema.extend({ player: playerSchema });

const ownNameSchema = z
  .object({
    name: z.string(),
    id: z.string(),
    /** Hash of the texture; absent: it shows no skin. */
    hash: z.string().optional(),
    /** UUID of the skin as it was chosen; it may have been deleted since. */
    skin: z.string().optional(),
    cape: z.string().optional(),
    /** Name of the user; absent: the user no longer exists. */
    user: z.string().optional(),
    /** ISO 8601. */
    changedAt: z.iso.datetime(),
  })
  .meta({ id: 'OwnPlayerName' });
/** A player name in the list of its user. */
export type OwnPlayerName = z.infer<typeof ownNameSchema>;

export const ownNamesAnswerSchema = envelopeSchema.extend({ players: z.array(ownNameSchema) });
export const receivedOwnNamesAnswerSchema = receivedEnvelopeSchema.extend({
  players: z.array(ownNameSchema),
});
