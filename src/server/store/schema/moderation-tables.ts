import type { Generated, Selectable } from 'kysely';
import type { OperatorAction, ReportReason } from '../../../protocol/moderation.ts';

/** Somebody thinks that a skin should not be here. */
export interface ReportsTable {
  /** Order of the reports. */
  id: Generated<number>;
  skin_uuid: string;
  /** The owner key of whoever sent it. */
  reporter: string;
  reason: ReportReason;
  text: string;
  created_at: number;
  /** When an operator decided about it; null: nobody has. */
  closed_at: number | null;
}

/** An image that the service refuses, by its pixel hash. */
export interface BlockedImagesTable {
  hash: string;
  note: string;
  /** Name of the operator. */
  blocked_by: string;
  blocked_at: number;
}

/** What an operator did. */
export interface OperatorLogTable {
  /** Order of the acts. */
  id: Generated<number>;
  at: number;
  /** Name of the operator. */
  operator: string;
  action: OperatorAction;
  /** UUID of a skin, hash of an image, number of a report or name of a user. */
  subject: string;
  note: string;
}

export type ReportRow = Selectable<ReportsTable>;
export type BlockedImageRow = Selectable<BlockedImagesTable>;
export type OperatorLogRow = Selectable<OperatorLogTable>;
