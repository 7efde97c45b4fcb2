import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { z } from 'zod';
import { sleepOrWake } from '../../base/clock.ts';
import { type GameRange, GameRangeError, parseGames } from '../../pack/games.ts';
import { legalName, namespaceProblem } from '../../pack/names.ts';
import { type ZipFile, ZipWriter } from '../../pack/zip.ts';
import { lineOf } from '../../protocol/lock-line.ts';
import type { setPackQuerySchema } from '../../protocol/set.ts';
import type { skinPackQuerySchema } from '../../protocol/skin.ts';
import { customSkin } from '../../textures/commands.ts';
import type { ServiceContext, StoredPack } from '../context.ts';
import { Refusal } from '../service/refusal.ts';
import {
  type ExportQuery,
  exportSkins,
  exportThese,
  type NamedSkins,
  type SkinExport,
} from '../service/skins/export.ts';
import type { SetPackQuery, SkinPack } from '../service/skins/skin-pack.ts';
import type { Answer, Call } from './route.ts';

interface ExportOptions {
  /** The address of the next part, which begins after the last skin of this one. */
  readonly partAfter: (after: string) => string;
}

/** skins.lock alone: a line for each skin. */
async function* lockLines(skins: SkinExport['skins']): AsyncGenerator<Uint8Array, void, void> {
  for await (const { line } of skins) yield Buffer.from(`${lineOf(line)}\n`);
}

/**
 * The pictures and their skins.lock. If there are more skins, a file tells people where the next part is, and the
 * archive's comment tells programs, which need only the last bytes.
 */
export async function* zipArchive(
  skins: SkinExport['skins'],
  { partAfter }: ExportOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const zip = new ZipWriter();
  const lines: string[] = [];
  let newest = 0;
  let next = await skins.next();
  for (; !next.done; next = await skins.next()) {
    const { line, png, time } = next.value;
    lines.push(`${lineOf(line)}\n`);
    newest = Math.max(newest, time);
    yield* zip.file({ name: line.source, bytes: png, time });
  }
  yield* zip.file(await compressed('skins.lock', lines.join(''), newest));
  if (next.value !== undefined) {
    const text = `There are more skins. The next part: ${partAfter(next.value)}\n`;
    yield* zip.file(await compressed('MORE.txt', text, newest));
  }
  yield zip.end(next.value === undefined ? '' : `There are more skins: after=${next.value}`);
}

const deflate = promisify(deflateRaw);

async function compressed(name: string, text: string, time: number): Promise<ZipFile> {
  const bytes = Buffer.from(text);
  return { name, bytes, time, deflated: await deflate(bytes) };
}

/** A file of SkinsRestorer for each skin, for its folder of skins. */
async function* customSkins(skins: SkinExport['skins']): AsyncGenerator<Uint8Array, void, void> {
  const zip = new ZipWriter();
  const names = new Set<string>();
  for await (const { line, time } of skins) {
    const { uuid, value, signature } = line;
    const own = legalName(line.name ?? `skin-${uuid.slice(0, 8)}`);
    const name = names.has(own) ? `${own}-${uuid.slice(0, 8)}` : own;
    names.add(name);
    const text = `${JSON.stringify(customSkin({ name, value, signature }), null, 2)}\n`;
    yield* zip.file(await compressed(`${name}.customskin`, text, time));
  }
  yield zip.end('');
}

/** Milliseconds after which an export is cut off. */
const MAX_AGE = 10 * 60_000;
/** Bytes to buffer for a slow reader. */
const BACKLOG = 256 * 1024;

export const EXPORTS = {
  zip: { type: 'application/zip', write: zipArchive },
  lock: { type: 'application/x-ndjson', write: lockLines },
} as const satisfies Record<string, ExportKind>;

/** Those of pages, too. */
export const FILES = {
  ...EXPORTS,
  'customskin.zip': { type: EXPORTS.zip.type, write: customSkins },
} as const satisfies Record<string, ExportKind>;

interface ExportKind {
  readonly type: string;
  readonly write: (skins: SkinExport['skins'], options: ExportOptions) => AsyncIterable<Uint8Array>;
}

type DownloadCall = Pick<Call, 'context' | 'request' | 'caller' | 'verify'>;

/** The caller's skins as a file, produced while it is read. `path`: of this address. @throws Refusal */
export async function exportAnswer(
  kind: keyof typeof EXPORTS,
  path: string,
  { query, ...call }: DownloadCall & { readonly query: ExportQuery },
): Promise<Answer> {
  const { context, caller } = call;
  const { after: _, ...filters } = query;
  const partAfter = (after: string) =>
    `${context.publicUrl()}${path}?${new URLSearchParams({ ...withoutAbsent(filters), after })}`;
  const open = async () => ({ file: 'skins', ...(await exportSkins(context, caller, query)) });
  return await streamedExport(kind, call, { fileName: async () => 'skins', open, partAfter });
}

/** The skins that `read` finds as a file. @throws Refusal */
export async function skinsAnswer(
  kind: keyof typeof FILES,
  call: DownloadCall,
  read: () => Promise<NamedSkins>,
): Promise<Answer> {
  const open = async () => await exportThese(call.context, call.caller, read);
  const fileName = async () => (await read()).file;
  return await streamedExport(kind, call, { fileName, open, partAfter: (after) => after });
}

interface Download extends ExportOptions {
  /** Its name without the extension, of a file that is not made. */
  readonly fileName: () => Promise<string>;
  readonly open: () => Promise<SkinExport & Pick<NamedSkins, 'file'>>;
}

async function streamedExport(
  kind: keyof typeof FILES,
  { context, request, verify }: DownloadCall,
  { fileName, open, partAfter }: Download,
): Promise<Answer> {
  const { type, write } = FILES[kind];
  const headersOf = (file: string) => ({
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${file}.${kind}"`,
    'Cache-Control': 'no-store',
  });
  if (request.method === 'HEAD')
    return { status: 200, headers: headersOf(await fileName()), body: undefined };
  const { file, skins, reading, end } = await open();
  const chunks = counted(write(skins, { partAfter }), (bytes) => reading.add(bytes));
  const body = Readable.from(chunks, { objectMode: false, highWaterMark: BACKLOG });
  reading.whenDropped(() => void body.destroy());
  const stop = context.openRequests.hold(verify, () => void body.destroy());
  body.once('close', () => {
    stop();
    end();
  });
  endInTime(body, request.signal, context);
  return { status: 200, headers: headersOf(file), body };
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) {
    yield chunk;
    count(chunk.length);
  }
}

function withoutAbsent(query: object): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}

/** Ends a download whose reader is gone or too slow. */
function endInTime(body: Readable, signal: AbortSignal, { clock }: Pick<ServiceContext, 'clock'>): void {
  const closed = new AbortController();
  body.once('close', () => closed.abort());
  if (signal.aborted) body.destroy();
  else signal.addEventListener('abort', () => body.destroy(), { once: true, signal: closed.signal });
  void sleepOrWake(clock, MAX_AGE, closed.signal).then(() => body.destroy());
}

type PackCall = Pick<Call, 'context' | 'caller' | 'request'>;

/** A resource pack, which its entity tag names as game servers do. @throws Refusal */
export async function skinPackAnswer(
  { context, caller, request }: PackCall,
  { ids, namespace, game }: z.output<typeof skinPackQuerySchema>,
): Promise<Answer> {
  const options = packOptions({ namespace, game });
  // Loaded on demand: services that commands embed make no packs.
  const { packSkins } = await import('../service/skins/skin-pack.ts');
  return packAnswer('pack', await packSkins(context, caller, { ids, ...options, signal: request.signal }));
}

/** The resource pack or data pack of a set, likewise; the set is read when the pack has its turn. @throws Refusal */
export async function setPackAnswer(
  { context, caller, request }: PackCall,
  { read, kind, namespace, game }: z.output<typeof setPackQuerySchema> & Pick<SetPackQuery, 'read' | 'kind'>,
): Promise<Answer> {
  const options = packOptions({ namespace, game });
  const { packSet } = await import('../service/skins/skin-pack.ts');
  const { signal } = request;
  const { slug, ...pack } = await packSet(context, caller, { ...options, read, kind, signal });
  return packAnswer(`${slug}-${kind === 'data' ? 'data' : 'pack'}`, pack);
}

function packAnswer(file: string, { bytes, sha1, isPublic }: SkinPack): Answer {
  const headers = {
    'Content-Type': 'application/zip',
    'Content-Disposition': `attachment; filename="${file}.zip"`,
    'Cache-Control': isPublic ? 'public, no-cache' : 'private, no-cache',
    ETag: `"${sha1}"`,
  };
  return { status: 200, headers, body: bytes };
}

/** A pack that never changes at its address, read from the disk while it is sent: players of a server come all at once. */
export function storedPackAnswer(
  request: Pick<Call['request'], 'method' | 'holdUnread'>,
  sha1: string,
  { path, size }: StoredPack,
): Answer {
  const headers = {
    'Content-Type': 'application/zip',
    'Content-Length': String(size),
    'Cache-Control': 'public, max-age=31536000, immutable',
    ETag: `"${sha1}"`,
  };
  const chunks = () => chunksOf(path, (bytes) => request.holdUnread(bytes));
  const body = request.method === 'HEAD' ? undefined : Readable.from(chunks(), { objectMode: false });
  return { status: 200, headers, body };
}

/** Opened by the first read: an answer that nobody reads leaves no open file. */
async function* chunksOf(path: string, hold: (bytes: number) => void): AsyncGenerator<Buffer, void, void> {
  const file = await open(path);
  try {
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      hold(chunk.length);
      yield chunk;
    }
  } finally {
    await file.close();
  }
}

/** @throws Refusal `validation_error` */
function packOptions<N extends string | undefined>({
  namespace,
  game,
}: {
  namespace: N;
  game: string | undefined;
}) {
  const problem = namespace === undefined ? undefined : namespaceProblem(namespace);
  if (problem !== undefined) throw invalid('namespace', `it ${problem}`);
  return { namespace, game: game === undefined ? undefined : gamesIn(game) };
}

/** @throws Refusal `validation_error` */
function gamesIn(text: string): GameRange {
  try {
    return parseGames(text);
  } catch (error) {
    if (error instanceof GameRangeError) throw invalid('game', `it ${error.message}`);
    throw error;
  }
}

function invalid(field: string, message: string): Refusal {
  return new Refusal('validation_error', {
    notes: [{ code: 'custom', message: `${field}: ${message}`, path: [field] }],
  });
}
