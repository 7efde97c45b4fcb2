import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Options, ResultPromise } from 'execa';
import { inject } from 'vitest';
import { encodeDifferently } from '../../../src/double/hosted/pictures.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import type { HostedService, ServiceOptions } from '../hosted/hosted-service.ts';
import { runHosted } from '../hosted/run-hosted.ts';
import { drawSkin, skinPng } from '../server/drawn-skins.ts';
import { freshMachine, type Machine, type Ran } from './program.ts';

/** As much of a lockfile's line as tests look at. */
export interface LockLine {
  readonly source: string;
  readonly pixels: string;
  readonly options: { readonly variant: string; readonly visibility: string };
  readonly uuid: string;
  readonly name?: string;
  readonly variant: string;
  readonly visibility: string;
  readonly value: string;
  readonly texture: string;
  readonly signature: string;
}

/** Where nothing listens. */
export const NOWHERE = 'http://127.0.0.1:1';

/** Commands run in a folder of this machine, for one service; default: the embedded one. */
export class Workshop {
  readonly machine: Machine;
  readonly folder: string;
  readonly #env: Record<string, string>;

  constructor(machine: Machine, service?: Pick<HostedService, 'url' | 'key'>) {
    this.machine = machine;
    this.folder = join(machine.folder, 'work');
    this.#env = service ? { SKINSMITH_BASE_URL: service.url, SKINSMITH_API_KEY: service.key } : {};
  }

  path(...segments: string[]): string {
    return join(this.folder, ...segments);
  }

  start(args: readonly string[], { env, ...options }: Options = {}): ResultPromise {
    return this.machine.start(args, { cwd: this.folder, ...options, env: { ...this.#env, ...env } });
  }

  /** Runs a command to its end inside this process. */
  async run(...args: string[]): Promise<Ran> {
    return await this.runIn({}, ...args);
  }

  /** The same, with more in the environment. */
  async runIn(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> {
    return await this.machine.run(args, { cwd: this.folder, env: { ...this.#env, ...env } });
  }

  async write(file: string, content: string | Uint8Array): Promise<void> {
    await mkdir(dirname(this.path(file)), { recursive: true });
    await writeFile(this.path(file), content);
  }

  /** Skins by the path of their file, without `.png`: the number of each. */
  async draw(skins: Readonly<Record<string, number>>): Promise<void> {
    for (const [stem, number] of Object.entries(skins)) await this.write(`${stem}.png`, skinPng(number));
  }

  /** `count` skins, `01.png` and so on; their numbers begin after `from`. */
  async drawMany(folder: string, count: number, from = 0): Promise<void> {
    for (let n = 1; n <= count; n++) await this.draw({ [join(folder, twoDigits(n))]: from + n });
  }

  /** The same pixels in other bytes. */
  async compressAnew(stem: string, number: number): Promise<void> {
    await this.write(`${stem}.png`, encodeDifferently(drawSkin(number)));
  }

  async read(file: string): Promise<string> {
    return await readFile(this.path(file), 'utf8');
  }

  async readJson<T = Record<string, unknown>>(file: string): Promise<T> {
    return JSON.parse(await this.read(file)) as T;
  }

  async lock(file = 'out/skins.lock'): Promise<LockLine[]> {
    return lines(await this.read(file)).map((line) => JSON.parse(line) as LockLine);
  }

  /** All files below a folder, sorted, `/` between segments. */
  async files(folder: string): Promise<string[]> {
    const found = await readdir(this.path(folder), { recursive: true, withFileTypes: true });
    const files = found.filter((entry) => entry.isFile());
    return files.map((file) => slashed(relative(this.path(folder), join(file.parentPath, file.name)))).sort();
  }

  /** When each file below a folder was written, and which it is: a file put in its place is another. */
  async versions(folder: string): Promise<Record<string, string>> {
    const versions: Record<string, string> = {};
    for (const file of await this.files(folder)) {
      const { mtimeMs, ino } = await stat(this.path(folder, file));
      versions[file] = `${ino} ${mtimeMs}`;
    }
    return versions;
  }

  /** What a colleague gets who clones the folder: other home, settings and data. */
  async clone(): Promise<Workshop> {
    const clone = new Workshop(await freshMachine(), { url: NOWHERE, key: '' });
    await cp(this.folder, clone.folder, { recursive: true });
    return clone;
  }
}

export async function embeddedWorkshop(): Promise<Workshop> {
  const workshop = new Workshop(await freshMachine());
  await mkdir(workshop.folder);
  return workshop;
}

export async function hostedWorkshop(
  options: ServiceOptions = {},
): Promise<{ shop: Workshop; service: HostedService }> {
  const service = await runHosted({ signingKeyPath: inject('signingKeyPath'), ...options });
  const shop = new Workshop(await freshMachine(), service);
  await mkdir(shop.folder);
  return { shop, service };
}

export function pixelsOf(number: number): string {
  return pixelHash(drawSkin(number));
}

export function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** First cells of tab-separated rows. */
export function firstCells(text: string): string[] {
  return lines(text).map((row) => row.split('\t')[0] ?? '');
}

/** Requests that --verbose reported, such as `POST /v2/queue`. */
export function requestsIn(stderr: string): string[] {
  return lines(stderr).flatMap((line) => /^(?:GET|POST|PUT|PATCH|DELETE) \S+/.exec(line)?.[0] ?? []);
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}
