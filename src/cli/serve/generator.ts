import type { GeneratorKind, UpstreamSettings } from '../../server/server.ts';
import { allowsInsecureHttp } from '../connection/connect.ts';
import type { CommandContext } from '../context/context.ts';
import { CliError } from '../errors/exit.ts';
import { readSecretFile } from '../terminal/read-input.ts';

/** A table, so that a missing kind is a compile error. */
const KINDS = { signing: true, accounts: true, upstream: true } satisfies Record<GeneratorKind, true>;
export const GENERATOR_KINDS = Object.keys(KINDS) as GeneratorKind[];
const VISIBILITIES = ['public', 'unlisted', 'private'] as const;
export const UPSTREAM_VISIBILITIES = VISIBILITIES satisfies readonly UpstreamSettings['visibility'][];

/** Command-line options for the generator. */
export interface GeneratorOptions {
  readonly generator?: GeneratorKind;
  readonly upstream?: string;
  readonly upstreamKeyFile?: string;
  readonly upstreamSlots?: number;
  readonly upstreamVisibility?: UpstreamSettings['visibility'];
}

interface ChosenGenerator {
  readonly generator: GeneratorKind;
  readonly upstream: UpstreamSettings | undefined;
}

type Surroundings = Pick<CommandContext, 'env'> & Partial<Pick<CommandContext, 'flags' | 'io' | 'signal'>>;

/** The generator's configuration; options override the environment. @throws CliError */
export async function chooseGenerator(
  typed: GeneratorOptions,
  surroundings: Surroundings,
): Promise<ChosenGenerator> {
  const { env, flags = {} } = surroundings;
  const generator = typed.generator ?? kindIn(env['SKINSMITH_GENERATOR']) ?? 'signing';
  if (generator === 'upstream') {
    const insecureHttp = allowsInsecureHttp({ env, flags });
    return { generator, upstream: { ...(await upstreamOf(typed, surroundings)), insecureHttp } };
  }
  const stray = [typed.upstream, typed.upstreamKeyFile, typed.upstreamSlots, typed.upstreamVisibility];
  if (stray.some((option) => option !== undefined)) {
    throw wrong(`The options --upstream… work only with the generator "upstream", not with "${generator}".`, {
      hint: 'Add: --generator upstream',
    });
  }
  return { generator, upstream: undefined };
}

function kindIn(text: string | undefined): GeneratorKind | undefined {
  if (!text) return undefined;
  const kind = GENERATOR_KINDS.find((known) => known === text);
  if (kind) return kind;
  throw wrong(`SKINSMITH_GENERATOR must be one of ${GENERATOR_KINDS.join(', ')}, not "${text}".`);
}

async function upstreamOf(typed: GeneratorOptions, surroundings: Surroundings): Promise<UpstreamSettings> {
  const { env } = surroundings;
  const url = typed.upstream ?? urlIn(env['SKINSMITH_UPSTREAM']);
  if (url === undefined) {
    throw wrong('The generator "upstream" needs the service that makes the skins.', {
      hint: 'Give its address: --upstream https://api.mineskin.org, or SKINSMITH_UPSTREAM',
    });
  }
  const { upstreamVisibility: visibility } = typed;
  return { url, apiKey: await keyOf(typed, surroundings), slots: typed.upstreamSlots, visibility };
}

function urlIn(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !text.includes('@')) return text.replace(/\/+$/, '');
  throw wrong('SKINSMITH_UPSTREAM must be an http address, without user name and password.'); // nor is one shown
}

/** Never read from the command line, which every user of the machine could see. */
async function keyOf({ upstreamKeyFile }: GeneratorOptions, surroundings: Surroundings): Promise<string> {
  const text =
    upstreamKeyFile === undefined
      ? surroundings.env['SKINSMITH_UPSTREAM_KEY']
      : await readSecretFile(upstreamKeyFile, 'key', surroundings);
  const key = text?.trim();
  if (key && /^[\x21-\x7e]{1,512}$/.test(key)) return key;
  const where = upstreamKeyFile ?? 'SKINSMITH_UPSTREAM_KEY';
  if (key)
    throw wrong(`${where} does not contain an API key, which is a single word of at most 512 characters.`);
  throw wrong('The generator "upstream" needs a key for the service that makes the skins.', {
    hint: 'Give a file that holds it: --upstream-key-file key.txt, or SKINSMITH_UPSTREAM_KEY',
  });
}

function wrong(message: string, { hint }: { hint?: string } = {}): CliError {
  return new CliError('invalid_setting', message, { hint, exit: 'usage' });
}
