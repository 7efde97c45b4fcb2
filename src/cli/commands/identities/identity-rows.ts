import type { Identity } from '../../../index.ts';
import type { CommandContext } from '../../context/context.ts';
import type { SeenName } from '../../history/seen-names.ts';
import { type Columns, type CommandOutput, columnRows, type Fields } from '../../output/described.ts';
import { ago, alignedRows } from '../../text/text.ts';

const COLUMNS = {
  id: ({ id }) => id,
  subject: ({ subject }) => subject,
  issuer: ({ issuer }) => issuer,
  createdAt: ({ createdAt }) => createdAt,
  isLastWay: ({ isLastWay }) => (isLastWay ? 'last-way' : ''),
} satisfies Columns<Identity>;

const FIELDS: Fields<Identity> = {
  id: 'id of the identity',
  subject: 'whom the provider calls that',
  issuer: 'address of the provider',
  createdAt: 'when it was tied to the user',
  isLastWay: 'whether the user has no other way to sign in',
};

export const IDENTITY_LIST_OUTPUT: CommandOutput = {
  columns: COLUMNS,
  json: { shape: 'list', fields: FIELDS },
};

const HEADER = ['ID', 'SUBJECT', 'PROVIDER', 'SINCE', ''];

/** Prints identities as rows, for people or for programs. */
export function identityRows(
  identities: readonly Identity[],
  { io, clock }: Pick<CommandContext, 'io' | 'clock'>,
): string {
  if (!io.out.isTTY) return columnRows(COLUMNS, identities);
  const rows = identities.map(({ id, subject, issuer, createdAt, isLastWay }) => [
    id,
    subject,
    issuer,
    ago(createdAt, clock.now()),
    isLastWay ? 'the only way to sign in' : '',
  ]);
  return alignedRows(HEADER, rows, io.out.columns);
}

/** The word that shells complete. */
export function seenIdentity({ id, subject, issuer }: Identity): SeenName {
  return { value: id, about: `${subject} at ${issuer}` };
}
