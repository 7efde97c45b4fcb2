import { z } from 'zod';
import { parseBaseUrl } from '../../index.ts';
import { CliError } from '../errors/exit.ts';
import { FORMAT_NAMES } from '../output/formats/names.ts';

export const SETTING_NAMES = [
  'base-url',
  'visibility',
  'variant',
  'slots',
  'poll-interval',
  'format',
  'color',
  'user-agent',
] as const;
export type SettingName = (typeof SETTING_NAMES)[number];

const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` });

/** The message of `parseBaseUrl`, which may quote the text, as the end of a sentence. */
function urlFault(message: string): string {
  return message.replace(/^".*" /, '').replace(/^a URL with (.*) is not accepted$/, 'must not contain $1');
}

const formatsAllowed = `must be one or more of ${FORMAT_NAMES.join(', ')}, with commas between`;

const baseUrl = z.string('must be an address like https://api.example.org').transform((text, context) => {
  try {
    return parseBaseUrl(text).baseUrl;
  } catch (error) {
    context.addIssue(urlFault((error as Error).message));
    return z.NEVER;
  }
});

/** The valid values of each setting. The messages continue a sentence that begins with "it". */
const SCHEMAS = {
  'base-url': baseUrl,
  visibility: oneOf(['public', 'unlisted', 'private']),
  variant: oneOf(['auto', 'classic', 'slim']),
  slots: z.coerce
    .number('must be a whole number from 1 to 100')
    .int('must be a whole number from 1 to 100')
    .min(1, 'must be at least 1')
    .max(100, 'must be at most 100'),
  'poll-interval': z.coerce
    .number('must be a number of seconds from 0.2 to 60')
    .min(0.2, 'must be at least 0.2 seconds')
    .max(60, 'must be at most 60 seconds'),
  // Options and variables are texts; the config file holds the list that `config set` stored.
  format: z
    .preprocess((value) => (Array.isArray(value) ? value.join(',') : value), z.string(formatsAllowed))
    .transform((text) => [...new Set(text.split(',').map((name) => name.trim()))])
    .pipe(z.array(z.enum(FORMAT_NAMES, { error: formatsAllowed })).min(1)),
  color: oneOf(['auto', 'always', 'never']),
  'user-agent': z
    .string()
    .min(1, 'must not be empty')
    .max(200, 'must have at most 200 characters')
    .regex(/^[\x20-\x7e]+$/, 'must be plain ASCII text'),
} as const satisfies Record<SettingName, z.ZodType>;

export type Settings = { readonly [K in SettingName]: z.output<(typeof SCHEMAS)[K]> | undefined };

/** The sources of a value, highest precedence first. */
export interface SettingSources {
  readonly flags: Partial<Record<SettingName, unknown>>;
  readonly env: NodeJS.ProcessEnv;
  readonly file: Readonly<Record<string, unknown>>;
}

export interface Origin {
  readonly value: unknown;
  readonly from: string;
}

/** `SKINSMITH_BASE_URL` for `base-url`. */
export function envNameOf(name: string): string {
  return `SKINSMITH_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** The source with the highest precedence that sets the value: flags > environment > config file. */
export function originOf(name: SettingName, { flags, env, file }: SettingSources): Origin | undefined {
  if (flags[name] !== undefined) return { value: flags[name], from: `--${name}` };
  const variable = envNameOf(name);
  if (env[variable]) return { value: env[variable], from: variable };
  if (file[name] !== undefined && file[name] !== null) return { value: file[name], from: 'the config file' };
  return undefined;
}

/** @throws CliError naming the setting, its source and the allowed values */
export function resolveSettings(sources: SettingSources): Settings {
  const entries = SETTING_NAMES.map((name) => {
    const origin = originOf(name, sources);
    return [name, origin && parseSetting(name, origin)] as const;
  });
  return Object.fromEntries(entries) as Settings;
}

export function parseSetting(name: SettingName, { value, from }: Origin): unknown {
  const parsed = SCHEMAS[name].safeParse(value);
  if (parsed.success) return parsed.data;
  const allowed = parsed.error.issues[0]?.message;
  throw new CliError(
    'invalid_setting',
    `${[name, quoted(name, value), `(from ${from})`].filter(Boolean).join(' ')} is invalid: it ${allowed}.`,
    {
      exit: 'usage',
      hint:
        from === 'the config file'
          ? `Correct it: skinsmith config set ${name} … or skinsmith config unset ${name}`
          : undefined,
    },
  );
}

function quoted(name: SettingName, value: unknown): string | undefined {
  return isSafeToShow(name, value) ? `"${String(value)}"` : undefined;
}

/** False for an address with a user name, password or query, which is refused and shown nowhere, not even in part. */
export function isSafeToShow(name: SettingName, value: unknown): boolean {
  return name !== 'base-url' || !/[@?#]/.test(String(value));
}

/** The choices of a setting that takes one of a few words. */
export function settingChoices(name: SettingName): readonly string[] {
  if (name === 'format') return FORMAT_NAMES;
  const schema = SCHEMAS[name];
  return schema instanceof z.ZodEnum ? schema.options : [];
}

export function isSettingName(name: string): name is SettingName {
  return SETTING_NAMES.some((known) => known === name);
}
