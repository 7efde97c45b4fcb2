/** What users name as sources, and what those are. */

export { skinNameFrom } from '../../protocol/skin-name.ts';
export { Coverage } from '../model/coverage.ts';
export type {
  BatchSource,
  GivenSkin,
  SourceContent,
  SourceProblem,
  SourceStream,
  VariantWish,
} from '../model/source.ts';
export { withoutFileScheme } from '../sources/files/path.ts';
export { IGNORE_FILE } from '../sources/folders/ignore-rules.ts';
export { type SkinInJson, skinInJson } from '../sources/given/skin-json.ts';
export { skinSource } from '../sources/given/skin-source.ts';
export { isSkinText, readSkinText } from '../sources/given/skin-text.ts';
export type { Column } from '../sources/lists/rows.ts';
export { isSingle, openSources, streamSources } from '../sources/sources.ts';
