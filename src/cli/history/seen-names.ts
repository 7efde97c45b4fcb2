import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, writeFileAtomically } from '../../base/files.ts';
export const SEEN_KINDS = ['users', 'keys', 'capes', 'accounts', 'skins', 'identities'] as const;
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
