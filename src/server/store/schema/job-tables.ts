import type { Generated, Selectable } from 'kysely';
import type { JobStatus } from '../../../protocol/job.ts';
import type { SkinVisibility } from '../../../protocol/skin.ts';

export interface JobsTable {
  /** Order of acceptance. */
  id: Generated<number>;
  uuid: string;
  owner: string;
  status: JobStatus;
  /** Same owner and same request_key while pending: the same job. */
  request_key: string;
  identity: string;
  texture_hash: string;
  variant: 'classic' | 'slim';
  visibility: SkinVisibility;
  name: string | null;
  skin_uuid: string | null;
  error_code: string | null;
  error_message: string | null;
  attempts: number;
  /** Earliest time a worker may take it (pushed back after a failed attempt). */
  run_at: number;
  lease_owner: string | null;
  lease_until: number | null;
  /** When a worker last took it. */
  started_at: number | null;
  created_at: number;
  finished_at: number | null;
  via: Via;
  /** The owner's turn, in the queue's own time (fairness/turns.ts): lower ones are taken first. */
  turn: number;
  /** Maximum number of the owner's jobs processed at the same time. */
  concurrency: number;
  /** The same for capacity that is otherwise idle; if less than `concurrency`, that limit applies. */
  burst: number;
  /** Texture of the cape that goes with the skin. */
  cape_hash: string | null;
  /** Key of the request that made the job; its insertion adds it to the idempotency keys (a trigger does it). */
  idempotency_key: string | null;
  /** What it is made from, as its owner knows it again: a file's name, an address, a player; null: unknown. */
  source: string | null;
}

/** The rules that a job was accepted by: those of the queue, or those of version 1. */
export type Via = 'queue' | 'v1';

/** The job of an owner's request with this `Idempotency-Key`. */
export interface IdempotencyKeysTable {
  owner: string;
  key: string;
  job_id: number;
}

/** The facts about a caller that are kept from one job to the next. */
export interface CallersTable {
  owner: string;
  /** The turn of its next job, in the queue's own time, see JobsTable.turn. */
  turn: number;
  /** When its last job was accepted. */
  spent_at: number;
  /** When its last generation of version 1 was accepted; 0: never. */
  generated_at: number;
  /** Its spending in the last minute and the last hour: JSON of fairness/rate-limits.ts. */
  minute: string;
  hour: string;
}

/** A submission to the service that makes the skins, until its skin data is stored. */
export interface UpstreamJobsTable {
  /** Of the skin data; it includes the service's address. */
  identity: string;
  /** Its job on the service; null: unknown whether it has arrived. */
  job_id: string | null;
  idempotency_key: string;
  /** Newest job seen before on the service, by its clock: the submission's own cannot be older. */
  mark: number;
  submitted_at: number;
  /** Worker that sends the request; null: sent before this was recorded. */
  sender: string | null;
  /** When the request ends at the latest. */
  sending_until: number;
  /** When the service lists its job, if it arrived; null: the request has not ended, as far as is known. */
  settles_at: number | null;
}

/** An address to notify of a job's end. */
export interface CallbacksTable {
  id: Generated<number>;
  /** Identifies the callback to its receiver, the same on each attempt. */
  uuid: string;
  job_id: number;
  /** The API key of the request: its secret signs the webhook. */
  key_id: string;
  url: string;
  /** Of the URL, with its port. */
  host: string;
  /** Number of deliveries started. */
  attempts: number;
  /**
   * When the next delivery may start; null while the job has not ended. During a delivery: when it is considered lost,
   * so that a killed process needs no cleanup.
   */
  run_at: number | null;
  lease_owner: string | null;
  created_at: number;
  /** Delivered, or given up. */
  done_at: number | null;
}

export type JobRow = Selectable<JobsTable>;
export type CallbackRow = Selectable<CallbacksTable>;
export type UpstreamJobRow = Selectable<UpstreamJobsTable>;
