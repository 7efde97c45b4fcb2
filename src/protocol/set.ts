import { z } from 'zod';
import { changesSomething, envelopeSchema, receivedEnvelopeSchema } from './envelope.ts';
import {
  receivedSkinListItemSchema,
  SKIN_NAME_RULE,
  type SkinListItem,
  type SkinVisibility,
  skinListAnswerSchema,
  skinNameSchema,
  skinPackQuerySchema,
  uuidSchema,
  visibilitySchema,
} from './skin.ts';

/** Maximum skins of a set: those of one resource pack. */
export const MAX_SET = 500;

/** The name of a set as its address has it: lower case, other characters than a-z, 0-9, _ . and - as dashes. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}

/** The usual namespace of a set's packs, by its first name. */
export function namespaceOf(name: string): string {
  return slugOf(name).replaceAll('.', '_').slice(0, 32);
}

/** Names that an address would take for something else. */
const NOT_A_NAME = `${SKIN_NAME_RULE}, with a letter or digit, and neither a UUID nor a SHA-1`;

const SHA1 = /^[0-9a-f]{40}$/;

export const setNameSchema = skinNameSchema.refine(
  (name) => /[a-z0-9]/i.test(name) && !uuidSchema.safeParse(name).success && !SHA1.test(slugOf(name)),
  { error: NOT_A_NAME },
);

/** Why the service would refuse a set's name; undefined if it is valid. */
export function setNameProblem(name: string): string | undefined {
  return setNameSchema.safeParse(name).error?.issues[0]?.message;
}

/** A set in an address: its UUID, or its name. */
export const setReferenceSchema = z
  .string()
  .max(64)
  .transform((text) => uuidSchema.safeParse(text).data ?? slugOf(text));

const skins = z
  .array(uuidSchema)
  .max(MAX_SET, `at most ${MAX_SET} skins`)
  .transform((uuids) => [...new Set(uuids)]);

/** POST /v2/sets */
export const setBodySchema = z.strictObject({
  name: setNameSchema,
  visibility: visibilitySchema.default('public'),
  /** UUIDs of skins that the caller may see, in order. */
  skins: skins.default([]),
});
/** A set to be made. */
export interface SetInput {
  readonly name: string;
  /** Default: public. */
  readonly visibility?: SkinVisibility | undefined;
  /** UUIDs of skins that the caller may see, in order, at most 500. */
  readonly skins?: readonly string[] | undefined;
}

/** PATCH /v2/sets/:set */
export const setEditSchema = z
  .strictObject({
    name: setNameSchema.optional(),
    visibility: visibilitySchema.optional(),
    /** All skins of the set, in order. */
    skins: skins.optional(),
    /** Skins to add at the end. */
    add: skins.optional(),
    /** Skins to take out. */
    remove: skins.optional(),
  })
  .refine(changesSomething, { error: 'Nothing to change: send a name, a visibility or skins.' })
  .refine(({ skins, add, remove }) => skins === undefined || (add === undefined && remove === undefined), {
    error: 'Send all skins, or those to add and remove.',
  });
/** What to change about a set: at least one field. */
export interface SetEdit {
  readonly name?: string | undefined;
  readonly visibility?: SkinVisibility | undefined;
  /** UUIDs of all its skins in order; not together with `add` and `remove`. */
  readonly skins?: readonly string[] | undefined;
  /** UUIDs of skins to put at the end. */
  readonly add?: readonly string[] | undefined;
  /** UUIDs of skins to take out. */
  readonly remove?: readonly string[] | undefined;
}

const setSchema = z
  .object({
    /** 32 hexadecimal digits. */
    uuid: z.string(),
    name: z.string(),
    /** The name as an address has it; others find public sets by it. */
    slug: z.string(),
    visibility: visibilitySchema,
    /** Number of skins in it that the caller may see. */
    size: z.number(),
    /** Milliseconds since the epoch. */
    createdAt: z.number(),
    /** Milliseconds since the epoch: when it was last changed. */
    changedAt: z.number(),
  })
  .meta({ id: 'SkinSet' });
/** A named group of skins. */
export type SkinSetSummary = z.infer<typeof setSchema>;

export const setAnswerSchema = envelopeSchema.extend({
  set: setSchema,
  skins: skinListAnswerSchema.shape.skins,
});
export const setListAnswerSchema = envelopeSchema.extend({ sets: z.array(setSchema) });
/** A set with its skins, as a client reads it. */
export interface SkinSet extends SkinSetSummary {
  /** Those that the caller may see, in order. */
  readonly skins: readonly SkinListItem[];
}

export const receivedSetAnswerSchema = receivedEnvelopeSchema.extend({
  set: setSchema,
  skins: z.array(receivedSkinListItemSchema),
});
export const receivedSetListAnswerSchema = receivedEnvelopeSchema.extend({ sets: z.array(setSchema) });

const reservedNameSchema = z
  .object({
    /** The name as an address has it. */
    name: z.string(),
    /** UUID of the set to which it leads; null: that set was deleted. */
    set: z.string().nullable(),
  })
  .meta({ id: 'ReservedSetName' });
/** A name under which a set was public: nobody else can have it until it is released. */
export type ReservedSetName = z.infer<typeof reservedNameSchema>;

export const reservedNamesAnswerSchema = envelopeSchema.extend({ names: z.array(reservedNameSchema) });
export const receivedReservedNamesAnswerSchema = receivedEnvelopeSchema.extend({
  names: z.array(reservedNameSchema),
});

/** GET /v2/sets/:set/pack.zip; `namespace`: default the slug. */
export const setPackQuerySchema = z.object({
  namespace: skinPackQuerySchema.shape.namespace.removeDefault().optional(),
  game: skinPackQuerySchema.shape.game,
});
