import { type Heard, TestCaller } from '../server/test-caller.ts';
import type { Contents, PlainRow } from './contents.ts';
import { FROZEN_KEYS, ownerKey, type UserName } from './secrets.ts';

/** Those to whom the rows of a frozen store belong, as callers of one server. */
export class Askers {
  readonly url: string;
  readonly store: Contents;
  readonly #options: { readonly isOurs?: boolean };

  /** `isOurs`: false where it takes too long to judge every answer by its description. */
  constructor(url: string, store: Contents, options: { readonly isOurs?: boolean } = {}) {
    this.url = url;
    this.store = store;
    this.#options = options;
  }

  rows(table: string): readonly PlainRow[] {
    return this.store.get(table) ?? [];
  }

  named(name: UserName): TestCaller {
    return new TestCaller(this.url, { ...this.#options, key: FROZEN_KEYS[name] });
  }

  /** The owner of these skins and jobs; undefined if they were made without a key. */
  owning({ owner }: PlainRow): TestCaller {
    const name = (Object.keys(FROZEN_KEYS) as UserName[]).find((one) => ownerKey(one) === owner);
    return name ? this.named(name) : new TestCaller(this.url, this.#options);
  }

  dataOf({ identity }: PlainRow): PlainRow {
    return this.rows('texture_data').find((data) => data['identity'] === identity) ?? {};
  }
}

/** What every answer about a skin says, as the store had it. */
export function skinOf(askers: Askers, skin: PlainRow): object {
  const { uuid, name, visibility, views } = skin;
  const { variant, value, signature, texture_hash, url, account } = askers.dataOf(skin);
  return {
    ...{ uuid, visibility, views, variant, ...(name !== null && { name }) },
    texture: { data: { value, signature }, hash: { skin: texture_hash }, url: { skin: url } },
    generator: { account },
  };
}

/** A list in an answer, of any kind. */
export function listIn({ body }: Heard, field: string): readonly object[] {
  return (body as unknown as Readonly<Record<string, readonly object[]>>)[field] ?? [];
}
