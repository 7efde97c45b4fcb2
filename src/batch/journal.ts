import { hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { makeFolder, withPath, writeFileAtomically } from '../base/files.ts';
import { fileLines } from '../base/streams.ts';
import { parsedJson } from '../base/text.ts';
import { variantSchema, visibilitySchema } from '../protocol/skin.ts';
import type { FinishedSkin } from './model.ts';

/** A journal that cannot be continued. `message` names the file. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
  readonly code: string;
  readonly hint: string;

  private constructor(code: string, about: { message: string; hint: string; cause?: unknown }) {
    super(about.message, { cause: about.cause });
    this.code = code;
    this.hint = about.hint;
  }

  static damaged(path: string, cause: unknown): JournalError {
    const message = `${path}: A line of the journal is damaged.`;
    const hint = 'Move that file away and run the command again. Unfinished skins are made again.';
    return new JournalError('journal_damaged', { message, hint, cause });
  }

  /** The file is empty, although every journal begins with a header line. */
  static emptied(path: string): JournalError {
    const message = `${path}: The journal of this batch has lost its content, so skins could be paid for twice.`;
    const hint =
      'Restore the file, or check with skinsmith jobs whether the service is still making skins. Then delete the file: ' +
      'the next run submits what is missing in the lockfile.';
    return new JournalError('journal_emptied', { message, hint });
  }
}

/**
 * Lines of the journal: NDJSON, one step of one piece of work each. `k` (work key) and `s` (step) come first
 * in every line, so that reading back needs to parse only those that are still open.
 */
const skin = z.object({
  uuid: z.string(),
  name: z.string().optional(),
  variant: variantSchema,
  visibility: visibilitySchema,
  value: z.string(),
  signature: z.string(),
  texture: z.object({ url: z.string(), hash: z.string() }),
  duplicate: z.boolean().optional(),
}) satisfies z.ZodType<Omit<FinishedSkin, 'signedBy'>>;

const notes = z.array(z.object({ code: z.string(), message: z.string() }));

const ofWork = { k: z.string() };
/** `n`: which attempt; `u`: by whom, see `WorkState`. */
const sent = { ...ofWork, n: z.number(), u: z.string().optional() };
/** Without a job that is known. `m`: newest job time seen on the service before, its clock, ms. */
const unanswered = { ...sent, m: z.number() };
/** `j`: the job. */
const ended = { ...ofWork, j: z.string().optional() };
const made = { ...ended, skin, w: notes, service: z.string() };
/** What is wrong with it. */
const problem = { code: z.string(), message: z.string() };

/** About to be sent. */
const intent = z.object({ s: z.literal('intent'), ...unanswered });
/** The service accepted it as job `j`. */
const job = z.object({ s: z.literal('job'), ...sent, j: z.string() });
/** It was submitted and may still be made, but the service does not show it. */
const lost = z.object({ s: z.literal('lost'), ...unanswered });
/** The service certainly did not take it. */
const refused = z.object({ s: z.literal('refused'), ...ofWork });
/** Made and proved. `key`: fingerprint of the service's own key, where that signed; `signer`: see `Signer`. */
const done = z.object({
  s: z.literal('done'),
  ...made,
  key: z.string().optional(),
  signer: z.string().optional(),
});
/** Made and paid for, but wrong or unverified: kept until the user decides. The file keeps the step's first name. */
const unverified = z.object({ s: z.literal('unproven'), ...made, ...problem });
/** Failed for good in this batch. */
const failed = z.object({ s: z.literal('failed'), ...ended, ...problem, hint: z.string().optional() });
/** The batch came to its end; what failed may be tried again by the next one. */
const end = z.object({ s: z.literal('end') });

const headerSchema = z.object({
  journal: z.literal(1),
  /** Makes the idempotency keys unique to this journal. */
  nonce: z.string(),
});

const recordSchema = z.discriminatedUnion('s', [intent, job, lost, refused, done, unverified, failed, end]);

type JournalRecord = z.infer<typeof recordSchema>;
export type DoneRecord = z.infer<typeof done>;
type UnverifiedRecord = z.infer<typeof unverified>;
export type FailedRecord = z.infer<typeof failed>;

/** How far a piece of work has come. */
export type WorkState =
  /**
   * About to be sent, or sent: the service may have a job for it. `by`: the caller, whose list shows it. `isLost`: it was
   * submitted, and the user decides whether it is again.
   */
  | {
      readonly step: 'intent';
      readonly attempt: number;
      readonly mark: number;
      readonly by?: string | undefined;
      readonly isLost?: boolean;
    }
  /** `by`: the user who submitted it, or the caller where the service does not name users. */
  | { readonly step: 'job'; readonly attempt: number; readonly job: string; readonly by?: string | undefined }
  | { readonly step: 'done'; readonly at: number; readonly length: number }
  /** Made, but not proved. */
  | { readonly step: 'unverified'; readonly at: number; readonly length: number; readonly code: string }
  | { readonly step: 'failed'; readonly record: FailedRecord };

/** `{"k":"<key>","s":"done"`: enough to know a finished line without parsing it. */
const DONE_HEAD = /^\{"k":"([0-9a-z]+)","s":"done",(?:"j":"([^"\\]{0,100})",)?/;
const HEAD_BYTES = 200;
/** How many of the last jobs the next run expects at the service. */
const LAST_JOBS = 20;
const NEW_FILE = { mode: 0o600, durable: true };
/** Bytes; a longer line is not one of ours and is skipped. */
const LONGEST_LINE = 256 * 1024 + 1;

/**
 * What a batch did, written before it is acted on: an append-only file that a kill at any moment leaves readable. Each
 * line is independent; a torn one counts as not written.
 */
export class Journal {
  readonly #path: string;
  /** Undefined until something is to be written: a batch that makes nothing leaves no file. */
  #fd: number | undefined;
  #foundAt = 0;
  readonly #states = new Map<string, WorkState>();
  /** The jobs, and of which user or caller, where that is known. */
  readonly #jobs = new Map<string, string | undefined>();
  #nonce = '';
  #size = 0;
  /** Bytes that earlier runs have left. */
  #found = 0;
  /** Bytes that are on the disk. */
  #flushed = 0;
  #flushing: Promise<void> | undefined;
  #isClosed = false;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Opens the journal at `path`, or starts one, whose file is made with its first line. */
  static open(path: string): Journal {
    makeFolder(dirname(path), 0o700);
    const journal = new Journal(path);
    if (existsSync(path)) journal.#openFile();
    return journal;
  }

  /** Opens the journal for reading only; undefined if there is none. */
  static read(path: string): Journal | undefined {
    if (!existsSync(path)) return undefined;
    const journal = new Journal(path);
    journal.#readFrom(openSync(path, 'r'), (fd) => journal.#replayAll(fd));
    return journal;
  }

  /** When an earlier run last wrote to it, milliseconds since the epoch. */
  get foundAt(): number {
    return this.#foundAt;
  }

  /** @throws JournalError when the file has lost its content: what earlier runs have submitted is not known */
  verifyIntact(): void {
    if (this.#fd !== undefined && this.#nonce === '') throw JournalError.emptied(this.#path);
  }

  stateOf(key: string): WorkState | undefined {
    return this.#states.get(key);
  }

  /** Whether an earlier run wrote the line. */
  hasFound({ at }: { readonly at: number }): boolean {
    return at < this.#found;
  }

  isOwnJob(id: string): boolean {
    return this.#jobs.has(id);
  }

  /** The same for each submission of one attempt, so that the service recognizes a repetition. */
  idempotencyKey(key: string, attempt: number): string {
    this.#openFile();
    return hash('sha256', `${this.#nonce}:${key}:${attempt}`).slice(0, 40);
  }

  /** About to submit the work. `attempt`: from 0; `mark`: time of the newest job seen on the service, milliseconds on its clock. `by`: see `WorkState`. */
  intent(key: string, attempt: number, mark: number, by?: string): void {
    this.#append({ k: key, s: 'intent', n: attempt, m: mark, u: by });
  }

  /** The service has accepted the work as this job. `by`: see `WorkState`. */
  accepted(key: string, attempt: number, job: string, by?: string): void {
    this.#append(jobRecord(key, { attempt, job, by }));
  }

  /** It was submitted, but the service shows no job for it (any more). `mark`, `by`: as for `intent`. */
  lost(key: string, mark: number, by?: string): void {
    const state = this.#states.get(key);
    const attempt = state && 'attempt' in state ? state.attempt : 0;
    this.#append(lostRecord(key, state?.step === 'intent' ? state : { attempt, mark, by }));
  }

  /** The last jobs that runs with one of these callers or users have followed, the newest last. */
  lastJobs(isOurs: (by: string | undefined) => boolean): string[] {
    return [...this.#jobs]
      .filter(([, by]) => isOurs(by))
      .map(([id]) => id)
      .slice(-LAST_JOBS);
  }

  refused(key: string): void {
    this.#append({ k: key, s: 'refused' });
  }

  done({ k, j, ...rest }: Omit<DoneRecord, 's'>): void {
    this.#append({ k, s: 'done', j, ...rest });
  }

  /** Kept until the skin is accepted or made again; the same problem is written only once. */
  unverified({ k, ...rest }: Omit<UnverifiedRecord, 's'>): void {
    const state = this.#states.get(k);
    if (state?.step !== 'unverified' || state.code !== rest.code) this.#append({ k, s: 'unproven', ...rest });
  }

  failed({ k, ...rest }: Omit<FailedRecord, 's'>): void {
    this.#append({ k, s: 'failed', ...rest });
  }

  /**
   * Resolves once everything written so far survives a power cut. Calls at the same time share the flushes, which take
   * milliseconds. @throws Error of the file system
   */
  async flushed(): Promise<void> {
    for (const end = this.#size; this.#flushed < end && !this.#isClosed; ) {
      this.#flushing ??= this.#flush();
      await this.#flushing;
    }
  }

  /** The result of finished work. @throws JournalError when the line cannot be read back */
  readDone(key: string): DoneRecord {
    return this.#read(key, 'done', done);
  }

  /** The result that was kept without being proved. @throws JournalError when the line cannot be read back */
  readUnverified(key: string): UnverifiedRecord {
    return this.#read(key, 'unverified', unverified);
  }

  /** The batch is over with failures: finished work stays, and failed work may be tried again. */
  end(): void {
    if (this.#fd !== undefined) this.#append({ s: 'end' });
  }

  /** Does nothing the second time: the number of a closed file may by then be another file's. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#fd !== undefined) closeSync(this.#fd);
  }

  /**
   * The batch is over and its results are stored elsewhere: removes the journal, or keeps only what is still open.
   * `keepsJobs`: also jobs without a result.
   */
  retire({ keepsJobs }: { readonly keepsJobs: boolean }): void {
    const kept = [...this.#states].flatMap(([key, state]) => this.#openLine(key, state, keepsJobs));
    this.close();
    if (kept.length === 0) rmSync(this.#path, { force: true });
    else writeFileAtomically(this.#path, `${[headerLine(newNonce()), ...kept].join('\n')}\n`, NEW_FILE);
  }

  /** A skin that could not be proved, or a job that was lost or whose result could not be fetched: the next run goes on with it. */
  #openLine(key: string, state: WorkState, keepsJobs: boolean): string[] {
    if (state.step === 'unverified') return [JSON.stringify(this.readUnverified(key))];
    if (!keepsJobs) return [];
    if (state.step === 'intent' && state.isLost) return [JSON.stringify(lostRecord(key, state))];
    return state.step === 'job' ? [JSON.stringify(jobRecord(key, state))] : [];
  }

  /** Made in one step, so that a kill never leaves an empty file, which would count as one that lost its content. */
  #openFile(): number {
    if (this.#fd !== undefined) return this.#fd;
    const path = this.#path;
    if (!existsSync(path)) writeFileAtomically(path, `${headerLine(newNonce())}\n`, NEW_FILE);
    return this.#readFrom(openSync(path, 'a+', 0o600), (fd) => this.#readBack(fd));
  }

  #readFrom(fd: number, read: (fd: number) => unknown): number {
    this.#fd = fd;
    const { size, mtimeMs } = fstatSync(fd);
    this.#size = size;
    this.#found = size;
    this.#foundAt = mtimeMs;
    try {
      read(fd);
    } catch (error) {
      this.close();
      throw error;
    }
    return fd;
  }

  #read<S extends z.ZodType>(key: string, step: 'done' | 'unverified', schema: S): z.output<S> {
    const state = this.#states.get(key);
    if (state?.step !== step) throw new Error(`The journal has no result for ${key}.`);
    const bytes = Buffer.alloc(state.length);
    readSync(this.#openFile(), bytes, 0, state.length, state.at);
    try {
      return schema.parse(JSON.parse(bytes.toString('utf8')));
    } catch (cause) {
      throw JournalError.damaged(this.#path, cause);
    }
  }

  async #flush(): Promise<void> {
    const size = this.#size;
    try {
      await new Promise<void>((resolve, reject) =>
        fdatasync(this.#openFile(), (error) => (error ? reject(error) : resolve())),
      );
      this.#flushed = size;
    } catch (error) {
      throw withPath(error, this.#path);
    } finally {
      this.#flushing = undefined;
    }
  }

  #append(record: JournalRecord): void {
    const line = JSON.stringify(record);
    const fd = this.#openFile();
    const at = this.#size;
    const length = this.#write(fd, line) - 1;
    this.#apply(record, { at, length });
  }

  #write(fd: number, line: string): number {
    const bytes = Buffer.from(`${line}\n`);
    try {
      // A full disk may accept only a part: try the rest once more, which then throws.
      for (let sent = 0; sent < bytes.length; ) sent += writeSync(fd, bytes, sent);
    } catch (error) {
      ftruncateSync(fd, this.#size); // no half line that the next one would be appended to
      throw withPath(error, this.#path);
    }
    this.#size += bytes.length;
    return bytes.length;
  }

  #readBack(fd: number): void {
    this.#found = this.#size = this.#replayAll(fd);
    ftruncateSync(fd, this.#size); // a line that a kill cut off counts as not written
  }

  /** @returns bytes up to the end of the last whole line */
  #replayAll(fd: number): number {
    let end = 0;
    for (const { bytes, offset, length, isEnded } of fileLines(fd, LONGEST_LINE)) {
      if (!isEnded) break;
      if (bytes && bytes.length > 1) this.#replay(bytes.subarray(0, -1), offset);
      end = offset + length;
    }
    return end;
  }

  #replay(line: Buffer, at: number): void {
    const head = DONE_HEAD.exec(line.toString('latin1', 0, HEAD_BYTES));
    if (head?.[1] !== undefined && line.at(-1) === 0x7d) {
      this.#states.set(head[1], { step: 'done', at, length: line.length });
      if (head[2] !== undefined) this.#addJob(head[2]);
      return;
    }
    const json = parsedJson(line);
    const record = recordSchema.safeParse(json);
    if (record.success) this.#apply(record.data, { at, length: line.length });
    else this.#nonce ||= headerSchema.safeParse(json).data?.nonce ?? '';
  }

  #apply(record: JournalRecord, place: { at: number; length: number }): void {
    if ('j' in record && record.j !== undefined) this.#addJob(record.j, 'u' in record ? record.u : undefined);
    if (record.s === 'end') this.#forgetFailures();
    else if (record.s === 'refused') this.#states.delete(record.k);
    else this.#states.set(record.k, stateAfter(record, place));
  }

  #addJob(id: string, by?: string): void {
    this.#jobs.set(id, by ?? this.#jobs.get(id));
  }

  #forgetFailures(): void {
    for (const [key, { step }] of this.#states) if (step === 'failed') this.#states.delete(key);
  }
}

function stateAfter(
  record: Exclude<JournalRecord, { s: 'end' | 'refused' }>,
  place: { at: number; length: number },
): WorkState {
  switch (record.s) {
    case 'intent':
      return { step: 'intent', attempt: record.n, mark: record.m, by: record.u };
    case 'job':
      return { step: 'job', attempt: record.n, job: record.j, by: record.u };
    case 'lost':
      return { step: 'intent', attempt: record.n, mark: record.m, by: record.u, isLost: true };
    case 'done':
      return { step: 'done', ...place };
    case 'unproven':
      return { step: 'unverified', code: record.code, ...place };
    case 'failed':
      return { step: 'failed', record };
  }
}

function jobRecord(
  key: string,
  { attempt, job, by }: Omit<Extract<WorkState, { step: 'job' }>, 'step'>,
): JournalRecord {
  return { k: key, s: 'job', n: attempt, j: job, u: by };
}

function lostRecord(
  key: string,
  { attempt, mark, by }: Omit<Extract<WorkState, { step: 'intent' }>, 'step'>,
): JournalRecord {
  return { k: key, s: 'lost', n: attempt, m: mark, u: by };
}

function newNonce(): string {
  return randomBytes(12).toString('hex');
}

function headerLine(nonce: string): string {
  return JSON.stringify({ journal: 1, nonce });
}
