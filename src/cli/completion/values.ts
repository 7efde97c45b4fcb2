import type { Argument, Option } from 'commander';
import { COMMAND_GROUPS } from '../help/command-groups.ts';
import { TOPIC_SUMMARIES } from '../help/topic-names.ts';
import { FORMAT_NAMES } from '../output/formats/names.ts';
import { REPORT_KINDS } from '../output/reports/kinds.ts';
import type { LocalKind } from './local-kinds.ts';

/** The possible values of an argument or an option. */
export type Values =
  /** Free text. */
  | { readonly kind: 'none' | 'files' | 'folders' }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** A comma-separated list of them. */
  | { readonly kind: 'list'; readonly words: readonly string[] }
  /** Values that `skinsmith complete` prints when the user presses Tab. */
  | { readonly kind: 'ask'; readonly what: LocalKind };

const FILES: Values = { kind: 'files' };
const NONE: Values = { kind: 'none' };
const ask = (what: LocalKind): Values => ({ kind: 'ask', what });

/** Values by placeholder name. Any other placeholder is free text. */
const BY_PLACEHOLDER: Readonly<Record<string, Values>> = {
  source: FILES,
  path: FILES,
  file: FILES,
  list: FILES,
  folder: { kind: 'folders' },
  formats: { kind: 'list', words: FORMAT_NAMES },
  scopes: { kind: 'list', words: ['read', 'generate', 'skins', 'account', 'operator'] },
  'kind=file': { kind: 'words', words: REPORT_KINDS.map((kind) => `${kind}=`) },
  who: { kind: 'words', words: ['game'] },
  topic: {
    kind: 'words',
    words: [...Object.values(COMMAND_GROUPS).flat(), ...TOPIC_SUMMARIES.map(([name]) => name)],
  },
  job: ask('jobs'),
  uuid: ask('skins'),
  url: ask('services'),
  id: ask('keys'),
  user: ask('users'),
  account: ask('accounts'),
  cape: ask('capes'),
};

/** Values for ambiguous placeholders, by command and placeholder. */
const BY_PLACE: Readonly<Record<string, Values>> = {
  'config get name': ask('settings'),
  'config set name': ask('settings'),
  'config set value': ask('setting-values'),
  'config unset name': ask('settings'),
  'identities delete id': ask('identities'),
  'serve id': NONE,
  'serve scopes': NONE,
  'users get name': ask('users'),
  'users edit name': ask('users'),
  'users disable name': ask('users'),
  'users enable name': ask('users'),
};

/** @param path the command's path, such as `config set` */
export function valuesOfArgument(argument: Argument, path: string): Values {
  if (argument.argChoices) return { kind: 'words', words: argument.argChoices };
  return valuesNamed(argument.name(), path);
}

/** Undefined for an option that takes no value. */
export function valuesOfOption(option: Option, path: string): Values | undefined {
  if (!option.required && !option.optional) return undefined;
  if (option.argChoices) return { kind: 'words', words: option.argChoices };
  const placeholder = /[<[](.*?)[\]>]/.exec(option.flags)?.[1];
  return valuesNamed(placeholder ?? '', path);
}

function valuesNamed(placeholder: string, path: string): Values {
  return BY_PLACE[`${path} ${placeholder}`] ?? BY_PLACEHOLDER[placeholder] ?? NONE;
}

/** Formats values as one line for the scripts: `files`, `ask jobs`, `words auto always never`. */
export function specOf(values: Values): string {
  if (values.kind === 'ask') return `ask ${values.what}`;
  return 'words' in values ? [values.kind, ...values.words].join(' ') : values.kind;
}
