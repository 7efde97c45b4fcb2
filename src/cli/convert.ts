import {
  JobFailedError,
  type Note,
  ServiceError,
  type SkinOptions,
  type SkinSource,
  type SkinVisibility,
  UnreadableAnswerError,
} from '../index.ts';
import { checkSkin } from '../skin/check.ts';
import { CliError } from './exit.ts';
import { type NamedSource, skinNameFrom } from './sources.ts';

/** What is to become of the sources. */
export interface SkinWish {
  readonly name: string | undefined;
  readonly variant: 'auto' | 'classic' | 'slim';
  readonly visibility: SkinVisibility | undefined;
}

/** A source that is ready to be sent. */
export interface PreparedSource {
  readonly source: SkinSource;
  readonly options: SkinOptions;
  readonly warnings: readonly Note[];
}

/**
 * Reads a source and checks it before anything is sent: what the service would refuse costs no request.
 * @throws CliError `invalid_image`
 */
export async function prepareSource(
  named: NamedSource,
  wish: SkinWish,
  { isEmbedded }: { isEmbedded: boolean },
): Promise<PreparedSource> {
  const source = await named.read();
  if (isEmbedded) refuseFetching(named.label, source);
  const name = wish.name ?? (named.stem === undefined ? undefined : skinNameFrom(named.stem));
  const options = {
    name,
    variant: wish.variant === 'auto' ? undefined : wish.variant,
    visibility: wish.visibility,
  };
  return { source, options, warnings: 'file' in source ? checkFile(named.label, source.file, wish) : [] };
}

function refuseFetching(label: string, source: SkinSource): void {
  if ('file' in source || ('url' in source && /^data:/i.test(source.url))) return;
  throw new CliError(
    'unsupported_source',
    `${label}: The embedded service neither fetches URLs nor looks up players.`,
    {
      hint: 'Save the picture as a file and give its path.',
    },
  );
}

function checkFile(label: string, file: Uint8Array, wish: SkinWish): readonly Note[] {
  const { error, warnings } = checkSkin(file, wish.variant === 'auto' ? undefined : wish.variant);
  if (!error) return warnings;
  throw new CliError(error.code, `${label}: ${error.message}`, { hint: error.hint });
}

/** Both lists, each code once: client and service see the same picture. */
export function mergeNotes(ours: readonly Note[], theirs: readonly Note[]): Note[] {
  const codes = new Set(ours.map((note) => note.code));
  return [...ours, ...theirs.filter((note) => !codes.has(note.code))];
}

/** Whether the fault is this source's alone, so that the next one is worth trying. */
export function concernsOneSource(error: unknown): boolean {
  if (error instanceof CliError) return error.exit === 'failed';
  if (error instanceof JobFailedError) return true;
  const isAnswer = error instanceof ServiceError || error instanceof UnreadableAnswerError;
  return isAnswer && ![401, 403, 429, 503].includes(error.status);
}
