import type { Skin, SkinListItem } from '../../../index.ts';
import {
  type Columns,
  type CommandOutput,
  columnRows,
  deprecated,
  type Fields,
} from '../../output/described.ts';
import type { OutputStream } from '../../terminal/io.ts';
import { alignedRows } from '../../text/text.ts';

type Row = Pick<SkinListItem, 'uuid' | 'variant' | 'visibility' | 'name'>;

export const SKIN_COLUMNS = {
  uuid: ({ uuid }) => uuid,
  variant: ({ variant }) => variant,
  visibility: ({ visibility }) => visibility,
  name: ({ name }) => name,
} satisfies Columns<Row>;

/** Skins as rows: aligned under a header on a terminal, tab-separated elsewhere. */
export function skinRows(skins: readonly Row[], { isTTY, columns }: OutputStream): string {
  if (!isTTY) return columnRows(SKIN_COLUMNS, skins);
  const rows = skins.map((skin) => Object.values(SKIN_COLUMNS).map((cell) => cell(skin)));
  return alignedRows(['UUID', 'VARIANT', 'VISIBILITY', 'NAME'], rows, columns);
}

const COMMON = {
  uuid: 'UUID of the skin',
  name: 'name of the skin',
  visibility: 'public, unlisted or private',
  variant: 'classic, slim or unknown',
  views: 'how often the skin was viewed',
};

const LIST_FIELDS: Fields<SkinListView> = {
  ...COMMON,
  texture: 'hash or URL of the texture, as the service sends it',
};

const SKIN_FIELDS: Fields<Skin> = {
  ...COMMON,
  shortId: 'the first eight digits of the UUID',
  texture: {
    about: 'the texture, as the service sends it',
    fields: {
      data: {
        about: 'the texture data',
        fields: { value: deprecated('value'), signature: deprecated('signature') },
      },
      hash: {
        about: 'hashes of the textures',
        fields: { skin: 'hash of the skin', cape: 'hash of the cape' },
      },
      url: { about: 'URLs of the textures', fields: { skin: 'URL of the skin', cape: 'URL of the cape' } },
    },
  },
  generator: {
    about: 'how the skin was made, as the service describes it',
    fields: {
      version: 'version of the generator',
      timestamp: 'when, in milliseconds since 1970',
      duration: 'how long it took, in milliseconds',
      account: 'id of the game account',
      server: 'name of the server',
      worker: 'name of the worker',
    },
  },
  tags: 'tags of the skin, as the service sends them',
  duplicate: 'whether the service had the skin already',
};

export const SKIN_LIST_OUTPUT: CommandOutput = {
  columns: SKIN_COLUMNS,
  json: { shape: 'list', fields: LIST_FIELDS },
};
export const SKIN_EDIT_OUTPUT: CommandOutput = {
  columns: SKIN_COLUMNS,
  json: { shape: 'object or list', fields: SKIN_FIELDS },
};

/** A skin as the service sends it, and its data under the names that results use. */
export const SKIN_GET_FIELDS: Fields<ReturnType<typeof skinView>> = {
  ...SKIN_FIELDS,
  value: 'the texture value, in base64',
  signature: 'the signature of the value, in base64',
};

export type SkinListView = ReturnType<typeof skinListView>;

/** The skin of a list as the API returns it. */
export function skinListView({ uuid, name, visibility, variant, views, texture }: SkinListItem) {
  return { uuid, name, visibility, variant, views, texture };
}

/**
 * The skin as the API returns it, which has more fields than a result, and its data under the names that results use.
 */
export function skinView(skin: Skin) {
  const { value, signature } = skin.texture.data;
  return { ...skin, value, signature };
}
