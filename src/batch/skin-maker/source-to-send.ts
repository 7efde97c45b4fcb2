import { isUuid } from '../../base/text.ts';
import type { SkinClient } from '../../client/skin-client.ts';
import type { SkinOptions, SkinSource } from '../../client/types.ts';
import type { SkinRequest } from '../../dispatch/running-job.ts';
import type { Note } from '../../protocol/envelope.ts';
import { SKIN_NAME_RULE } from '../../protocol/skin.ts';
import {
  type Member,
  mergeNotes,
  pixelsOf,
  type SourceContent,
  type SourceProblem,
  type SuppliedSkin,
  type Work,
} from '../model.ts';
import { sentNameOf, sourceName } from '../names.ts';
import { inspectSource } from '../pictures.ts';
import { PlayerNameError, type PlayerNames } from '../sources/player-names.ts';
import { fetchSuppliedTexture, SuppliedTextureError } from '../sources/supplied-skin.ts';

/** The file was edited between planning and submission. */
const CHANGED = {
  code: 'source_changed',
  message: 'The file has changed since the batch began.',
  hint: 'Run it again.',
};

interface SourceReading {
  readonly client: SkinClient;
  /** Absent: names of players are sent as they are. */
  readonly players: PlayerNames | undefined;
  /** Whether the service reaches the game from elsewhere than this machine. */
  readonly isRemote: boolean;
  readonly signal: AbortSignal;
}

type ToSend = SkinSource | { readonly problem: SourceProblem };

/** The submission of a piece of work, or why there is none. @throws the signal's reason */
export async function requestFor(
  work: Work,
  reading: SourceReading,
): Promise<SkinRequest | { readonly problem: SourceProblem }> {
  const source = await sourceToSend(work, reading);
  if ('problem' in source) return source;
  const [first] = work.members;
  if (first) work.warnings = mergeNotes(work.warnings, renamedNotes(first));
  return { source, options: skinOptions(work) };
}

/** The options with which a piece of work is submitted. */
export function skinOptions({ members: [first], variant, visibility, cape }: Work): SkinOptions {
  return {
    name: first && sentNameOf(first.source),
    variant: variant === 'auto' ? undefined : variant,
    visibility,
    cape,
  };
}

/** Says that a service does not take a name as it is. The ends of URLs and values are not meant as names. */
function renamedNotes({ source }: Member): Note[] {
  const isMeant = source.content.kind === 'file' || source.name !== undefined;
  const [own, sent] = [sourceName(source), sentNameOf(source)];
  if (!isMeant || sent === own) return [];
  const outcome = sent === undefined ? 'Submitted without a name' : `Submitted with the name "${sent}"`;
  const message = `${outcome}: on services, names may contain ${SKIN_NAME_RULE}. Your results call it "${own}".`;
  return [{ code: 'name_changed', message }];
}

/** The request body for a piece of work, or why there is none. @throws the signal's reason */
async function sourceToSend(work: Work, reading: SourceReading): Promise<ToSend> {
  const [first] = work.members;
  if (!first) throw new Error('Work without a source.');
  const { content } = first.source;
  switch (content.kind) {
    case 'url':
      return { url: content.url };
    case 'user':
      return await playerToSend(content, reading);
    case 'data':
    case 'uuid':
    case 'bedrock':
      return await textureToSend(work, content.given, reading);
    default:
      return pictureToSend(work, content);
  }
}

/** A picture edited since planning is a failed source, not another skin. */
function pictureToSend(work: Work, content: SourceContent): ToSend {
  const inspected = work.bytes
    ? { bytes: work.bytes, pixels: pixelsOf(work), warnings: work.warnings }
    : inspectSource(content, work.variant, undefined, work.members[0]?.source.label);
  if ('problem' in inspected) return inspected;
  if (!inspected.bytes || inspected.pixels !== pixelsOf(work)) return { problem: CHANGED };
  work.warnings = inspected.warnings;
  return fileToSend(work, inspected.bytes);
}

/** The picture of skin data that cannot itself be the result. */
async function textureToSend(
  work: Work,
  given: SuppliedSkin | undefined,
  { client, signal }: SourceReading,
): Promise<ToSend> {
  if (!given) throw new Error('A UUID that was not looked up.');
  try {
    const bytes = await fetchSuppliedTexture(given, client, { signal });
    const inspected = inspectSource({ kind: 'bytes', bytes }, work.variant, undefined);
    if ('problem' in inspected) return inspected;
    work.pixels = inspected.pixels;
    return fileToSend(work, inspected.bytes ?? bytes);
  } catch (error) {
    if (signal.aborted || !(error instanceof SuppliedTextureError)) throw error;
    return { problem: error };
  }
}

function fileToSend(work: Work, file: Uint8Array): SkinSource {
  const [first] = work.members;
  return { file, fileName: `${(first && sentNameOf(first.source)) ?? 'skin'}.png` };
}

async function playerToSend(
  player: Extract<SourceContent, { kind: 'user' }>,
  { players, isRemote, signal }: SourceReading,
): Promise<ToSend> {
  const { user } = player;
  if (isUuid(user) || !players) return { user };
  try {
    return { user: await players.uuidOf(player, signal) };
  } catch (error) {
    if (signal.aborted || !(error instanceof PlayerNameError)) throw error;
    const { code, message, isPassing } = error;
    // A service elsewhere may look the player up where this machine cannot; only names are looked up here.
    const hint = isRemote ? 'Try again later, or give the UUID of the player.' : 'Try again later.';
    return { problem: { code, message, ...(isPassing && { hint }) } };
  }
}
