import type { Columns, CommandOutput, Field, Fields } from './described.ts';
import type { JobView, ResultView } from './views.ts';

export const RESULT_COLUMNS = {
  source: ({ source }) => source,
  status: ({ status }) => status,
  job: ({ job }) => job,
  uuid: ({ uuid }) => uuid,
  variant: ({ variant }) => variant,
  value: ({ value }) => value,
  signature: ({ signature }) => signature,
  texture: ({ texture }) => texture?.url,
} satisfies Columns<ResultView>;

export const WARNINGS_FIELD: Field = {
  about: 'what to know about it',
  fields: { code: 'code of the warning', message: 'a sentence' },
};

const RESULT_FIELDS: Fields<ResultView> = {
  source: 'what the skin was made from, as you typed it',
  status:
    'completed, failed, waiting, processing, unknown to the service, left (by --max-new), or ' +
    'new, changed or duplicate (--allow-new)',
  job: 'id of the job',
  uuid: 'UUID of the skin',
  name: 'name of the skin',
  variant: 'classic or slim',
  visibility: 'public, unlisted or private',
  value: 'the texture value, in base64',
  signature: 'the signature of the value, in base64',
  texture: {
    about: 'the texture; as a column, its URL',
    fields: { url: 'URL of the texture', hash: 'hash of the texture' },
  },
  signer:
    'who signed: game, embedded (the service of this or another machine), the address of a service, or unproved',
  duplicate: 'whether the service had the skin already',
  warnings: WARNINGS_FIELD,
  error: { about: 'why there is no skin', fields: { code: 'error code', message: 'what went wrong' } },
};

export const RESULT_OUTPUT = {
  columns: RESULT_COLUMNS,
  json: { shape: 'object or list', fields: RESULT_FIELDS },
} as const satisfies CommandOutput;

export const JOB_COLUMNS = {
  job: ({ job }) => job,
  status: ({ status }) => status,
  createdAt: ({ createdAt }) => createdAt,
  source: ({ source }) => source,
  uuid: ({ uuid }) => uuid,
} satisfies Columns<JobView>;

export const JOB_FIELDS: Fields<JobView> = {
  job: 'id of the job',
  status: 'waiting, processing, completed, failed or unknown',
  createdAt: 'when the job was submitted',
  eta: 'when the service expects the job to be completed',
  source: 'what the skin is made from: as you typed it on this machine, or as the service knows it',
  uuid: 'UUID of the skin, once the job is completed',
};

export const JOB_OUTPUT = {
  columns: JOB_COLUMNS,
  json: { shape: 'object or list', fields: JOB_FIELDS },
} as const satisfies CommandOutput;
