import { createReadStream } from 'node:fs';
import { isUuid } from '../../../base/uuid.ts';
import type { Coverage } from '../../model/coverage.ts';
import type { BatchSource } from '../../model/source.ts';
import { noSuchFile } from '../files/file-problem.ts';
import { baseStem, findPath, mirroredStem } from '../files/path.ts';
import { similarName } from '../files/similar-name.ts';
import { stdinContent } from '../files/stdin.ts';
import { folderSources } from '../folders/folder.ts';
import type { IgnoreRules } from '../folders/ignore-rules.ts';
import { isSkinFile, skinFileSources, skinOnStdin } from '../given/skin-files.ts';
import { skinSource } from '../given/skin-source.ts';
import { isSkinText, readSkinText } from '../given/skin-text.ts';
import {
  dataSource,
  gameTextureSource,
  isGameTextureAddress,
  looksLikePlayer,
  urlSource,
  userSource,
  uuidSource,
} from './links.ts';
import type { SourceSpec } from './spec.ts';

/** A text that names sources: an argument, or the source of a list's row. */
export interface NamedSources {
  readonly text: string;
  /** Absolute paths of the folders in which a relative path is searched, in this order. */
  readonly homes: readonly string[];
  /** Whether the folders of a relative path become part of the stem. */
  readonly isMirrored: boolean;
}

/** Shared by all arguments and rows of a batch. */
export interface Expansion {
  readonly as: SourceSpec['as'];
  readonly recursive: boolean;
  readonly rules: IgnoreRules;
  readonly stdin: () => AsyncIterable<Uint8Array>;
  /** Told of each folder that is walked to its end. */
  readonly coverage?: Coverage | undefined;
}

type Kind = 'stdin' | 'data' | 'skin' | 'texture' | 'url' | 'user' | 'path';
type Sources = AsyncIterable<BatchSource> | [BatchSource];
type Expand = (named: NamedSources, expansion: Expansion) => Sources;

const EXPANDERS = {
  stdin: stdinSource,
  data: ({ text }) => [dataSource(text)],
  skin: ({ text }) => [pastedSource(text)],
  texture: ({ text }) => [gameTextureSource(text)],
  url: ({ text }) => [urlSource(text)],
  user: ({ text }) => [userSource(text)],
  path: pathSources,
} satisfies Record<Kind, Expand>;

/** Characters of pasted text shown in messages. */
const SHOWN_TEXT = 30;
const SKIN_HINT =
  'Give a value, "value signature", or a JSON object with both, such as a line of skins.lock.';

/** All sources that an argument or a row stands for, as they are found. */
export function expand(named: NamedSources, expansion: Expansion): Sources {
  return EXPANDERS[kindOf(named.text, expansion.as)](named, expansion);
}

/** The kind of source that a text looks like, unless the user set it. */
function kindOf(text: string, as: SourceSpec['as']): Kind {
  if (as === 'user') return 'user';
  const isData = /^data:/i.test(text);
  const isTexture = isGameTextureAddress(text);
  if (as === 'url') return isData ? 'data' : isTexture ? 'texture' : 'url';
  if (text === '-') return 'stdin';
  if (as === 'file') return isSkinText(text) ? 'skin' : 'path';
  if (isData) return 'data';
  if (isTexture) return 'texture';
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return 'url'; // the scheme is checked there
  return isSkinText(text) ? 'skin' : 'path';
}

export function isStdin(text: string, as: SourceSpec['as']): boolean {
  return kindOf(text, as) === 'stdin';
}

/** Whether a text is a path to sources. */
export function isPath(text: string, as: SourceSpec['as']): boolean {
  return kindOf(text, as) === 'path';
}

function stdinSource({ text }: NamedSources, { stdin }: Expansion): AsyncGenerator<BatchSource> {
  return streamedSource(text, stdin());
}

async function* streamedSource(text: string, stream: AsyncIterable<Uint8Array>): AsyncGenerator<BatchSource> {
  const content = await stdinContent(stream);
  const skin = content.kind === 'bytes' ? skinOnStdin(content.bytes, text) : undefined;
  yield skin ? { ...skin, label: text } : { label: text, content, stem: 'stdin' };
}

/** Skin data that was pasted. */
function pastedSource(text: string): BatchSource {
  const read = readSkinText(text);
  if ('skin' in read) return skinSource(read.skin);
  const problem = { code: 'invalid_skin_data', message: read.fault, hint: SKIN_HINT };
  return { label: `${text.slice(0, SHOWN_TEXT)}…`, content: { kind: 'problem', problem }, stem: 'value' };
}

function pathSources(named: NamedSources, expansion: Expansion): Sources {
  const { text, homes, isMirrored } = named;
  const found = findPath(text, homes);
  if (found.kind === 'folder') {
    const above = isMirrored ? mirroredStem(text, true) : '';
    return folderSources({ label: text, path: found.path }, above === '' ? '' : `${above}/`, expansion);
  }
  if (found.kind === 'absent') return [absentSource(named, expansion)];
  if (found.kind === 'file' && isSkinFile(text, found.path)) return skinFileSources(text, found.path);
  if (found.kind === 'pipe') return streamedSource(text, createReadStream(found.path));
  const stem = isMirrored ? mirroredStem(text) : baseStem(text);
  return [{ label: text, content: found, stem }];
}

/** A path that leads nowhere may be a player, unless it is more likely mistyped. */
function absentSource({ text, homes, isMirrored }: NamedSources, expansion: Expansion): BatchSource {
  const mayBePlayer = expansion.as === undefined && looksLikePlayer(text);
  if (mayBePlayer && isUuid(text)) return uuidSource(text);
  const neighbour = similarName(text, homes);
  // The rows of a list are often all players; an argument with -r is meant as a folder.
  const isLikelyPath = !isMirrored && (neighbour !== undefined || expansion.recursive);
  if (mayBePlayer && !isLikelyPath) return userSource(text, { isGuess: true });
  const player = mayBePlayer ? text : undefined;
  const stem = isMirrored ? mirroredStem(text) : baseStem(text);
  return {
    label: text,
    content: { kind: 'problem', problem: noSuchFile(text, { neighbour, player }) },
    stem,
  };
}
