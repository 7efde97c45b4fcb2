import { hash } from 'node:crypto';
import type { BatchSource } from '../../batch/model.ts';
import { SourceIds, sourceName } from '../../batch/names.ts';
import { idsOf, legalName } from '../../pack/names.ts';
import type { IndexedSkin, ReadIndex } from '../../pack/pack-index.ts';

export interface NamedSource {
  readonly source: BatchSource;
  readonly id: string;
  /** Its name for people. */
  readonly name: string;
  readonly key: string;
}

/**
 * The sources with their ids, each once: those that the last run gave stay.
 * @param folder absolute path from which the index names sources
 */
export function namedSources(
  sources: readonly BatchSource[],
  folder: string,
  earlier: ReadIndex | undefined,
): readonly NamedSource[] {
  const keys = new SourceKeys(folder);
  const all = sources.map((source) => ({ source, key: keys.of(source), name: sourceName(source) }));
  const found = [...new Map(all.map((one) => [identityOf(one), one])).entries()];
  const known = earlier
    ? knownIds(
        found.map(([, one]) => one),
        earlier,
      )
    : new Map<Found, string>();
  const named = found.map(([key, one]) => ({ stem: one.source.stem, key, id: known.get(one) }));
  const ids = idsOf(
    named,
    earlier?.skins.map(({ id }) => id),
  );
  return found.map(([, one], at) => ({ ...one, id: ids[at]! }));
}

type Found = Omit<NamedSource, 'id'>;

/** What tells a source from all others of a run: a file may be there under several names, or with several capes. */
function identityOf({ key, source: { stem, variant, cape, elytra } }: Found): string {
  return JSON.stringify([key, stem, variant, cape, elytra]);
}

/** The ids that an index has for sources. A file that a list names twice has two, so names tell as well. */
function knownIds(sources: readonly Found[], index: ReadIndex): ReadonlyMap<Found, string> {
  const entries = new IndexedSources(index);
  const ids = new Map<Found, string>();
  const match = (isIts: (entry: IndexedSkin, one: Found) => boolean) => {
    for (const one of sources) {
      const entry = ids.has(one) ? undefined : entries.of(one).find((each) => isIts(each, one));
      if (!entry) continue;
      ids.set(one, entry.id);
      entries.remove(entry);
    }
  };
  match(({ id }, { source }) => id === legalName(source.stem));
  match((entry, { name }) => entry.name === name);
  const left = Map.groupBy(
    sources.filter((one) => !ids.has(one)),
    ({ key }) => key,
  );
  // One whose name was changed in a list.
  match((_, one) => entries.of(one).length === 1 && left.get(one.key)?.length === 1);
  return ids;
}

export class IndexedSources {
  readonly #bySource: Map<string, IndexedSkin[]>;
  /** Version 1 named sources as they were typed. */
  readonly #hasLabels: boolean;

  constructor({ skins, version }: ReadIndex) {
    this.#bySource = Map.groupBy(skins, ({ source }) => source.normalize('NFC'));
    this.#hasLabels = version === 1;
  }

  of({ source: { label }, key }: Pick<Found, 'source' | 'key'>): readonly IndexedSkin[] {
    const names = [key, hiddenSource(key), ...(this.#hasLabels ? [label.normalize('NFC')] : [])];
    return names.map((name) => this.#bySource.get(name)).find((entries) => entries?.length) ?? [];
  }

  remove(entry: IndexedSkin): void {
    const entries = this.#bySource.get(entry.source.normalize('NFC'))!;
    entries.splice(entries.indexOf(entry), 1);
  }
}

const HIDDEN = /^sha256:[0-9a-f]{32}$/;

/** A source in the index that players get: it is recognized, but shows neither paths nor addresses. */
export function hiddenSource(key: string): string {
  return HIDDEN.test(key) ? key : `sha256:${hash('sha256', key).slice(0, 32)}`;
}

/** The names by which an index knows sources: like those of lockfiles, but for pictures and data that have a label. */
export class SourceKeys {
  readonly #ids: SourceIds;

  /** @param folder absolute path */
  constructor(folder: string) {
    this.#ids = new SourceIds(folder);
  }

  of({ content, label }: BatchSource): string {
    return this.#keyOf(content, label).normalize('NFC'); // as systems store accents differently
  }

  #keyOf(content: BatchSource['content'], label: string): string {
    if (content.kind === 'problem') return label;
    if (content.kind !== 'bytes' && content.kind !== 'data') return this.#ids.of(content, undefined);
    if (!label.endsWith('…')) return label; // such as the file and place in it
    return this.#ids.of(content, content.kind === 'bytes' ? hash('sha256', content.bytes) : undefined);
  }
}
