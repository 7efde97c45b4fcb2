import { z } from 'zod';
import { envelopeSchema, pageQuerySchema } from './envelope.ts';
import { uuidSchema, visibilitySchema } from './skin.ts';

/** Why a skin or set should not be here. */
export const REPORT_REASONS = ['offensive', 'copyright', 'personal', 'other'] as const;
/** One of the reasons for a report. */
export type ReportReason = (typeof REPORT_REASONS)[number];

/** The actions in the operators' log. */
const OPERATOR_ACTIONS = [
  'hide_skin',
  'show_skin',
  'delete_skin',
  'hide_set',
  'show_set',
  'clear_set_name',
  'delete_set',
  'release_set_name',
  'remove_tag',
  'close_report',
  'reopen_report',
  'block_image',
  'unblock_image',
  'create_user',
  'invite_user',
  'revoke_invitation',
  'change_plan',
  'disable_user',
  'enable_user',
  'unlink_identity',
  'create_key',
  'change_key',
  'revoke_key',
  'dress_player',
  'give_player',
  'release_player',
] as const;
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

const MAX_TEXT = 500;

/** One line: characters that control a terminal or the direction of text, and line breaks, become spaces. */
const lineSchema = z
  .string()
  .max(MAX_TEXT, `at most ${MAX_TEXT} characters`)
  .transform((text) => text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim());

/** Body of POST /v2/skins/:uuid/report and /v2/sets/:set/report. */
export const reportBodySchema = z.strictObject({
  reason: z.enum(REPORT_REASONS),
  text: lineSchema.default(''),
});
/** A report to be sent; `text`: at most 500 characters on one line, default: none. */
export type ReportInput = z.input<typeof reportBodySchema>;

const reportSchema = z
  .object({
    id: z.string(),
    /** UUID of the skin; absent: the report is about a set. */
    skin: z.string().optional(),
    /** UUID of the set; absent: the report is about a skin. */
    set: z.string().optional(),
    /** Its current name; absent: it is gone, or its owner made it private. */
    name: z.string().optional(),
    /** Hash of the skin's texture, likewise. */
    texture: z.string().optional(),
    /** Tags of the skin, likewise. Older services do not send them. */
    tags: z.array(z.string()).optional(),
    visibility: visibilitySchema.optional(),
    /** Whether an operator has hidden it. */
    hidden: z.boolean(),
    /** Name of the user whose skin or set it is; absent: it is gone or of someone without a key. */
    owner: z.string().optional(),
    reason: z.enum(REPORT_REASONS),
    text: z.string(),
    /** Name of the user who sent the report; absent: someone without a key, or a deleted user. */
    reporter: z.string().optional(),
    /** Number of reports about it. Older services do not send it. */
    reports: z.number().optional(),
    createdAt: z.iso.datetime(),
    /** When an operator decided about it; absent: it is open. */
    closedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'Report' });
/** A report as the operator of the service sees it. */
export type Report = z.infer<typeof reportSchema>;

export const reportAnswerSchema = envelopeSchema.extend({ report: reportSchema });
export const reportListAnswerSchema = envelopeSchema.extend({ reports: z.array(reportSchema) });

const NOT_A_REPORT = 'not the number of a report';

/** A report's number in an address. */
export const reportNumberSchema = z.coerce
  .number(NOT_A_REPORT)
  .int(NOT_A_REPORT)
  .min(1, NOT_A_REPORT)
  .max(Number.MAX_SAFE_INTEGER, NOT_A_REPORT);

/** Query of GET /v2/account/reports. */
export const reportListQuerySchema = pageQuerySchema.extend({
  state: z.enum(['open', 'closed']).default('open'),
});

/** Body of any operator's action, with the reason for the log. */
export const decisionSchema = z.strictObject({ note: lineSchema.default('') });
export type ReportDecision = z.input<typeof decisionSchema>;

/** PATCH /v2/account/skins/:uuid */
export const skinDecisionSchema = decisionSchema.extend({ hidden: z.boolean() });

/** PATCH /v2/account/sets/:uuid: `clearName` replaces the name with one of digits, usually the first of the UUID. */
export const setDecisionSchema = decisionSchema
  .extend({ hidden: z.boolean().optional(), clearName: z.literal(true).optional() })
  .refine(({ hidden, clearName }) => hidden !== undefined || clearName !== undefined, {
    error: 'Nothing to decide: send hidden or clearName.',
  });
/** A decision about a set: whether to hide it, or to clear its name; `note` is for the log. */
export type SetDecision = z.input<typeof setDecisionSchema>;

const moderatedSkinSchema = z
  .object({ uuid: z.string(), visibility: visibilitySchema, hidden: z.boolean() })
  .meta({ id: 'ModeratedSkin' });
/** A skin after a decision of an operator: whether it is hidden, and its visibility then. */
export type ModeratedSkin = z.infer<typeof moderatedSkinSchema>;
export const moderatedSkinAnswerSchema = envelopeSchema.extend({ skin: moderatedSkinSchema });

/** A set after a decision of an operator, likewise. */
const moderatedSetSchema = moderatedSkinSchema.extend({ name: z.string() }).meta({ id: 'ModeratedSet' });
export const moderatedSetAnswerSchema = envelopeSchema.extend({ set: moderatedSetSchema });
/** A set after a decision of an operator: whether it is hidden, and its visibility then. */
export type ModeratedSet = z.infer<typeof moderatedSetSchema>;

export const imageHashSchema = z.string().regex(/^[0-9a-f]{64}$/, 'not the hash of a picture');

/** Also the game's name for a texture, which lacks zeros at the start: longer than a UUID. */
export const textureNameSchema = z.string().regex(/^[0-9a-f]{33,64}$/, 'not the hash of a texture');

/** POST /v2/account/blocked-images: the image, by its hash or by a skin that has it. */
export const blockBodySchema = z.union([
  decisionSchema.extend({ hash: textureNameSchema }),
  decisionSchema.extend({ skin: uuidSchema }),
]);
/** The image to block, by its pixel hash (64 hexadecimal digits) or the UUID of a skin that has it; `note` is for the log. */
export type BlockInput = z.input<typeof blockBodySchema>;

const blockedImageSchema = z
  .object({ hash: z.string(), note: z.string(), blockedBy: z.string(), blockedAt: z.iso.datetime() })
  .meta({ id: 'BlockedImage' });
/** An image that the service refuses. */
export type BlockedImage = z.infer<typeof blockedImageSchema>;

export const blockedImageAnswerSchema = envelopeSchema.extend({
  image: blockedImageSchema,
  /** Number of skins that were hidden because they have it. */
  hidden: z.number(),
});
export const blockedImageListAnswerSchema = envelopeSchema.extend({ images: z.array(blockedImageSchema) });
export const blockedImageListQuerySchema = pageQuerySchema.extend({ after: imageHashSchema.optional() });

const logEntrySchema = z
  .object({
    id: z.string(),
    at: z.iso.datetime(),
    /** Name of the operator. */
    operator: z.string(),
    action: z.enum(OPERATOR_ACTIONS),
    /** UUID of a skin, hash of an image, number of a report or name of a user. */
    subject: z.string(),
    note: z.string(),
  })
  .meta({ id: 'LogEntry' });
/** What an operator did. */
export type LogEntry = z.infer<typeof logEntrySchema>;

export const logAnswerSchema = envelopeSchema.extend({ entries: z.array(logEntrySchema) });
