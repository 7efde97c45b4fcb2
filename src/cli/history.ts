import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, writeFileAtomically } from '../base/files.ts';
import { parsedJson } from '../base/text.ts';
import type { SourceContent } from '../batch/model.ts';
import type { SkinOptions } from '../client/types.ts';

/** Number of lines kept when the file grows too long, and the size in bytes at which it is too long. */
const KEPT_LINES = 5_000;
const MAX_BYTES = 2 * 1024 * 1024;

/** A job's id, and what it is made from. */
export interface JobSource {
  readonly job: string;
  /** As the user typed it. */
  readonly source: string;
  /** What was sent for it, which `retry` may send again; absent for pictures that are only in memory, as from stdin. */
  readonly sent?: SentSource | undefined;
}

/** Where a picture is, files by their absolute paths, and the options of its skin. */
export interface SentSource {
  readonly content: Extract<SourceContent, { kind: 'file' | 'url' | 'user' }>;
  readonly options: SkinOptions;
}

/** Records the source of each job that this machine submitted, as one JSON line per job. */
export class JobSources {
  readonly #folder: string;
  readonly #path: string;

  constructor(dataDir: string) {
    this.#folder = dataDir;
    this.#path = join(dataDir, 'submissions.ndjson');
  }

  record(jobs: readonly JobSource[]): void {
    // A line break comes first, so that a line truncated by a crash does not corrupt these.
    const lines = `\n${jobs.map(lineOf).join('')}`;
    try {
      this.#append(lines);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      makeFolder(this.#folder, 0o700);
      this.#append(lines);
    }
  }

  /** Synchronous: waking a thread of the pool takes longer. */
  #append(lines: string): void {
    appendFileSync(this.#path, lines, { mode: 0o600 });
  }

  /** Sources by job id, in the order of their submission. */
  async sources(): Promise<ReadonlyMap<string, string>> {
    return new Map((await this.#entries()).map(({ job, source }) => [job, source]));
  }

  async of(id: string): Promise<JobSource | undefined> {
    return (await this.#entries()).findLast(({ job }) => job === id);
  }

  /** Malformed lines are skipped: the file is a convenience, not a record. */
  async #entries(): Promise<readonly JobSource[]> {
    const text = await this.#read();
    const entries = text.split('\n').flatMap(parseLine);
    if (text.length > MAX_BYTES)
      writeFileAtomically(this.#path, entries.slice(-KEPT_LINES).map(lineOf).join(''), { mode: 0o600 });
    return entries;
  }

  async #read(): Promise<string> {
    try {
      return await readFile(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  }
}

function lineOf({ job, source, sent }: JobSource): string {
  return `${JSON.stringify({ job, source, ...(sent && { sent }) })}\n`;
}

function parseLine(line: string): JobSource[] {
  const { job, source, sent } = Object(parsedJson(line)) as Record<string, unknown>;
  if (typeof job !== 'string' || typeof source !== 'string') return []; // truncated by a crash
  return [{ job, source, ...(isSent(sent) && { sent }) }];
}

/** Whether it names a picture; services check the options. */
function isSent(sent: unknown): sent is SentSource {
  const { content, options } = Object(sent) as Partial<Record<keyof SentSource, unknown>>;
  const { kind, path, url, user } = Object(content) as Record<string, unknown>;
  const place = { file: path, url, user }[String(kind)];
  return typeof place === 'string' && typeof options === 'object' && options !== null;
}

const SEEN_KINDS = ['users', 'keys', 'capes', 'accounts', 'skins', 'identities'] as const;
export type SeenKind = (typeof SEEN_KINDS)[number];

/** A name or an id that a service returned, and its kind. */
export interface SeenName {
  readonly value: string;
  readonly about?: string | undefined;
}

/** Number of names kept for each kind. */
const MAX_NAMES = 200;

/** Names and ids that commands have shown, newest first, so that shells can complete them without a request. */
export class SeenNames {
  readonly #folder: string;
  readonly #path: string;

  constructor(dataDir: string) {
    this.#folder = dataDir;
    this.#path = join(dataDir, 'seen-names.json');
  }

  async of(kind: SeenKind): Promise<SeenName[]> {
    return (await this.#read())[kind] ?? [];
  }

  async add(kind: SeenKind, names: readonly SeenName[]): Promise<void> {
    if (names.length > 0) await this.#change(kind, (known) => [...names, ...known]);
  }

  async remove(kind: SeenKind, value: string): Promise<void> {
    await this.#change(kind, (known) => known.filter((one) => one.value !== value));
  }

  async #change(kind: SeenKind, change: (known: readonly SeenName[]) => readonly SeenName[]): Promise<void> {
    try {
      const all = await this.#read();
      const changed = new Map<string, SeenName>();
      for (const name of change(all[kind] ?? [])) if (!changed.has(name.value)) changed.set(name.value, name);
      const text = JSON.stringify({ ...all, [kind]: [...changed.values()].slice(0, MAX_NAMES) });
      makeFolder(this.#folder, 0o700);
      writeFileAtomically(this.#path, Buffer.from(text), { mode: 0o600 });
    } catch {
      // If the folder is not writable, completion suffers, but the command that showed the names does not.
    }
  }

  /** Keeps only well-formed entries: the file is a convenience, not a record. */
  async #read(): Promise<Partial<Record<SeenKind, SeenName[]>>> {
    try {
      const all = JSON.parse(await readFile(this.#path, 'utf8')) as Record<string, unknown>;
      return Object.fromEntries(SEEN_KINDS.map((kind) => [kind, namesIn(all[kind])]));
    } catch {
      return {}; // missing or damaged
    }
  }
}

function namesIn(list: unknown): SeenName[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) => {
    const { value, about } = Object(one) as Record<string, unknown>;
    if (typeof value !== 'string') return [];
    return [{ value, ...(typeof about === 'string' && { about }) }];
  });
}
