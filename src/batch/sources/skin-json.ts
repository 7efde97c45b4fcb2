/** Unchecked skin data from JSON. */
export interface SkinInJson {
  readonly value: string;
  readonly signature?: string | undefined;
  /** Its source, according to the JSON. */
  readonly source?: string | undefined;
  readonly uuid?: string | undefined;
  readonly name?: string | undefined;
  readonly variant?: string | undefined;
  readonly visibility?: string | undefined;
  /** URL of the texture beside the value. */
  readonly url?: string | undefined;
  readonly pixels?: string | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/**
 * The skin data of a JSON object: a lockfile line, a result of ours, a skin as services answer it (either
 * version, with or without the envelope), a game profile, one of its properties, or a file of SkinsRestorer. Only known places are
 * searched, however deep the JSON is. Undefined if there is no value.
 */
export function skinInJson(json: unknown): SkinInJson | undefined {
  const item = fieldsOf(json);
  if (!item) return undefined;
  const whole = fieldsOf(item['skin']) ?? item;
  const data = dataOf(whole);
  const value = textOf(data?.['value']);
  if (!data || value === undefined) return undefined;
  const isProperty = data['name'] === 'textures';
  return {
    value,
    signature: textOf(data['signature']) || undefined,
    source: textOf(item['source']) || undefined,
    uuid: textOf(whole['uuid']) ?? textOf(whole['mineSkinId']),
    name: isProperty && data === whole ? undefined : nameIn(whole),
    variant: textOf(whole['variant']) ?? textOf(whole['skinVariant'])?.toLowerCase(),
    visibility: textOf(whole['visibility']),
    url: addressOf(whole),
    pixels: textOf(whole['pixels']),
  };
}

/** SkinsRestorer has names of its own for the name (`CustomSkinFile.java`, `PlayerSkinFile.java` of SkinsRestorer/SkinsRestorer). */
function nameIn({ name, skinName, lastKnownName }: Fields): string | undefined {
  return textOf(name) ?? textOf(skinName) ?? textOf(lastKnownName);
}

/** The places of value and signature. */
function dataOf(whole: Fields): Fields | undefined {
  const texture = fieldsOf(whole['texture']);
  const first = fieldsOf(whole['data']);
  const places = [
    whole,
    texture,
    fieldsOf(texture?.['data']),
    fieldsOf(first?.['texture']),
    propertyOf(whole['properties']),
  ];
  return places.find((place) => textOf(place?.['value']) !== undefined);
}

function propertyOf(properties: unknown): Fields | undefined {
  if (!Array.isArray(properties)) return undefined;
  return properties.map(fieldsOf).find((property) => property?.['name'] === 'textures');
}

function addressOf({ texture, url, mineSkinId }: Fields): string | undefined {
  if (mineSkinId !== undefined) return undefined; // in a file of SkinsRestorer, the URL is that of the picture
  if (typeof texture === 'string') return texture; // the lockfile's form
  const address = fieldsOf(texture)?.['url'];
  return textOf(address) ?? textOf(fieldsOf(address)?.['skin']) ?? textOf(url);
}

export function fieldsOf(json: unknown): Fields | undefined {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Fields) : undefined;
}

export function textOf(json: unknown): string | undefined {
  return typeof json === 'string' ? json : undefined;
}
