import { randomUUID } from 'node:crypto';
import type { Skin } from '../../../src/protocol/skin.ts';

type Edit = Partial<Pick<Skin, 'name' | 'visibility'>>;

interface KeptSkin {
  readonly skin: Promise<Skin>;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  /** Whether it is there, and the caller's: another program's skins are listed for no other key. */
  readonly isThere: (now: number) => boolean;
}

/** The skins that the service has, newest last. */
export class SkinStore {
  readonly #skins = new Map<string, KeptSkin>();
  readonly #edits = new Map<string, Edit>();

  add(uuid: string, kept: KeptSkin): void {
    this.#skins.set(uuid, kept);
  }

  /** By its UUID, with or without dashes, or its short id. Undefined: it is not there. */
  async find(id: string, now: number): Promise<Skin | undefined> {
    const plain = id.replaceAll('-', '');
    const uuid = plain.length === 8 ? [...this.#skins.keys()].find((key) => key.startsWith(plain)) : plain;
    const kept = uuid === undefined ? undefined : this.#skins.get(uuid);
    if (uuid === undefined || !kept?.isThere(now)) return undefined;
    return { ...(await kept.skin), ...this.#edits.get(uuid) };
  }

  /** Newest first. */
  async list(now: number): Promise<readonly { skin: Skin; madeAt: number }[]> {
    const there = [...this.#skins.values()].filter(({ isThere }) => isThere(now)).reverse();
    return await Promise.all(
      there.map(async ({ skin, madeAt }) => {
        const made = await skin;
        return { skin: { ...made, ...this.#edits.get(made.uuid) }, madeAt };
      }),
    );
  }

  edit(uuid: string, edit: Edit): void {
    this.#edits.set(uuid, { ...this.#edits.get(uuid), ...edit });
  }

  delete(uuid: string): void {
    this.#skins.delete(uuid);
  }
}

export function makeSkinUuid(): string {
  return randomUUID().replaceAll('-', '');
}

export function shortIdOf({ uuid }: Pick<Skin, 'uuid'>): string {
  return uuid.slice(0, 8);
}
