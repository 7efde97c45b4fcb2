import { identityOfJob, requestKey } from '../../../../src/server/service/skins/identity.ts';
import type { CallbackRow, JobRow } from '../../../../src/server/store/schema/tables.ts';
import { hex, IDEMPOTENCY_KEY, ownerKey } from '../secrets.ts';
import { LATER, MOMENT } from './moments.ts';
import type { Rows } from './rows.ts';
import { CAPE, skinUuid, textureOfSkin } from './skin-rows.ts';
import { keyId } from './user-rows.ts';

/** A node that has ended. */
export const GONE = 'elsewhere/7/0011aabbccdd';

const [dora, emil] = [ownerKey('dora'), ownerKey('emil')];

/** The UUID of the n-th job, from 1. */
export function jobUuid(n: number): string {
  return hex(`job ${n}`, 32);
}

interface JobInput extends Partial<JobRow> {
  readonly owner: string;
  /** Number of its picture. */
  readonly picture: number;
}

function job(id: number, { owner, picture, ...more }: JobInput, signer: string): JobRow {
  const { visibility = 'public', cape_hash: capeHash = null, name = null } = more;
  const { hash } = textureOfSkin(picture);
  const asked = { textureHash: hash, variant: 'classic', capeHash, visibility, name } as const;
  return {
    ...{ id, uuid: jobUuid(id), owner, status: 'waiting', texture_hash: hash, variant: 'classic' },
    ...{ request_key: requestKey(asked), identity: identityOfJob({ ...asked, owner }, signer) },
    ...{ visibility, name, skin_uuid: null, error_code: null, error_message: null, attempts: 0 },
    ...{ run_at: MOMENT, lease_owner: null, lease_until: null, started_at: null, created_at: MOMENT },
    ...{ finished_at: null, via: 'queue', turn: id + 0.5, concurrency: 2, burst: 3, cape_hash: capeHash },
    ...{ idempotency_key: null, source: null, ...more },
  };
}

const ENDED = { attempts: 1, started_at: MOMENT, finished_at: LATER } as const;
const HELD = { status: 'processing', attempts: 1, started_at: MOMENT, lease_until: LATER } as const;

/** Jobs in every state: those that have not ended are due, or held by a node that is gone. */
const INPUTS: readonly JobInput[] = [
  {
    ...{
      owner: dora,
      picture: 1,
      status: 'completed',
      ...ENDED,
      skin_uuid: skinUuid(1),
      name: 'Steel Smith',
    },
    ...{ idempotency_key: IDEMPOTENCY_KEY, source: 'steel "smith\'s".png' },
  },
  {
    ...{ owner: emil, picture: 7, status: 'failed', ...ENDED, attempts: 3, error_code: 'job_failed' },
    ...{ error_message: 'It "failed", Ä 💎', source: 'https://pictures.example.org/7.png' },
  },
  { owner: dora, picture: 8, name: 'Waiting', source: 'waiting.png' },
  { owner: dora, picture: 9, ...HELD, lease_owner: `${GONE}#0`, visibility: 'unlisted' },
  { owner: emil, picture: 10, attempts: 1, run_at: LATER, idempotency_key: 'later', cape_hash: CAPE.hash },
  { owner: emil, picture: 11, ...HELD, lease_owner: `${GONE}#1`, visibility: 'private', via: 'v1' },
];

function callback(id: number, input: Partial<CallbackRow> & Pick<CallbackRow, 'job_id'>): CallbackRow {
  return {
    ...{ id, uuid: hex(`callback ${id}`, 32), key_id: keyId('dora'), attempts: 0, run_at: null },
    ...{ url: `http://127.0.0.1:9/hook/${id}`, host: '127.0.0.1:9', lease_owner: null, created_at: MOMENT },
    done_at: null,
    ...input,
  };
}

type JobTable =
  | 'textures'
  | 'jobs'
  | 'idempotency_keys'
  | 'callers'
  | 'callbacks'
  | 'queue_clock'
  | 'upstream_jobs';

/** Jobs, with what belongs to them. */
export function jobRows(signer: string): Pick<Rows, JobTable> {
  const spent = (step: number) => JSON.stringify([[Math.floor(MOMENT / step), 2]]);
  const caller = { spent_at: MOMENT, generated_at: 0, minute: spent(1_000), hour: spent(60_000) };
  return {
    textures: [7, 8, 9, 10, 11].map(textureOfSkin),
    jobs: INPUTS.map((input, n) => job(n + 1, input, signer)),
    idempotency_keys: [
      { owner: dora, key: IDEMPOTENCY_KEY, job_id: 1 },
      { owner: dora, key: 'joined', job_id: 3 },
      { owner: emil, key: 'later', job_id: 5 },
    ],
    callers: [
      { ...caller, owner: dora, turn: 4.5 },
      { ...caller, owner: emil, turn: 6.25, generated_at: MOMENT },
      { ...caller, owner: `address:${hex('192.0.2.1', 32)}`, turn: 1 },
    ],
    callbacks: [
      callback(1, { job_id: 1, attempts: 1, run_at: LATER, done_at: LATER }),
      callback(2, { job_id: 2, attempts: 2, run_at: LATER, lease_owner: GONE, key_id: keyId('emil') }),
      callback(3, { job_id: 3 }),
    ],
    queue_clock: [{ id: 1, turn: 1.5 }],
    upstream_jobs: [
      {
        ...{
          identity: hex('upstream'),
          job_id: hex('job upstream', 32),
          idempotency_key: 'sent',
          mark: MOMENT,
        },
        ...{ submitted_at: MOMENT, sender: `${GONE}#2`, sending_until: LATER, settles_at: LATER },
      },
    ],
  };
}
