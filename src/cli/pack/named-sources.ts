import { hash } from 'node:crypto';
import { SourceIds } from '../../batch/lockfile/entries.ts';
import type { BatchSource } from '../../batch/model.ts';
import { idsOf } from '../../pack/names.ts';

/** A source with its id in the pack. */
export interface NamedSource {
  readonly source: BatchSource;
  readonly id: string;
}

/** The sources with their ids, each once. `folder`: absolute path from which the index names them. */
export function namedSources(sources: readonly BatchSource[], folder: string): readonly NamedSource[] {
  const keys = new SourceKeys(folder);
  const found = new Map(sources.map((source) => [identityOf(source, keys.of(source)), source]));
  const ids = idsOf([...found].map(([key, { stem }]) => ({ stem, key })));
  return [...found.values()].map((source, at) => ({ source, id: ids[at]! }));
}

/** What tells a source from all others of a run: the same file may be there under several names, or with several capes. */
function identityOf({ stem, variant, cape, elytra }: BatchSource, key: string): string {
  return JSON.stringify([key, stem, variant, cape, elytra]);
}

/** The names by which an index knows sources: like those of lockfiles, but for pictures and data that have a label. */
class SourceKeys {
  readonly #ids: SourceIds;

  /** @param folder absolute path */
  constructor(folder: string) {
    this.#ids = new SourceIds(folder);
  }

  of({ content, label }: BatchSource): string {
    if (content.kind === 'problem') return label;
    if (content.kind !== 'bytes' && content.kind !== 'data') return this.#ids.of(content, undefined);
    if (!label.endsWith('…')) return label; // such as the file and place in it
    return this.#ids.of(content, content.kind === 'bytes' ? hash('sha256', content.bytes) : undefined);
  }
}
