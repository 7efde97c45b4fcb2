import { existsSync, readFileSync } from 'node:fs';
import { isSea } from 'node:sea';
import { z } from 'zod';
import { VERSION } from '../../base/version.ts';
import { askOnce } from '../connection/connect.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { columnRows, type Fields, fieldColumns } from '../output/described.ts';
import { jsonDocument } from '../text/text.ts';

export interface VersionOptions {
  readonly check?: boolean;
  readonly licenses?: boolean;
}

interface VersionView {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  readonly install: 'executable' | 'npm';
  readonly schema: number;
  readonly newest?: string;
}

const FIELDS: Fields<VersionView> = {
  version: 'version of skinsmith',
  node: 'version of the Node that runs it',
  platform: 'operating system and processor, such as linux-x64',
  install: 'executable (one file that has its own Node) or npm',
  schema: 'number of the schema of stores: programs with the same number can share a store',
  newest: 'with --check: version of the newest release',
};

type Release = Pick<VersionView, 'version' | 'newest'>;
const COLUMNS = fieldColumns<Release>('version');

const CHECK_COLUMNS = fieldColumns<Release>('version', 'newest');

export const version = {
  description:
    'Print the version, and on request whether there is a newer release.\n' +
    'skinsmith looks for newer releases only with --check. Then it queries the npm registry, or the one in ' +
    "npm's variable npm_config_registry, and sends nothing about you.",
  examples: {
    'Print the version of skinsmith and of its parts as JSON': 'skinsmith version --json',
    'Find out whether there is a newer release': 'skinsmith version --check',
    'Print the licences of skinsmith and of everything in it': 'skinsmith version --licenses',
  },
  output: [
    { columns: COLUMNS, json: { shape: 'object', fields: FIELDS } },
    { mode: '--check', columns: CHECK_COLUMNS, json: { shape: 'object', fields: FIELDS } },
  ],
  declare: (command) =>
    command
      .option('--check', 'ask the npm registry for the newest release')
      .option('--licenses', 'print the licences of skinsmith and of everything in it'),
  run: runVersion,
} satisfies CommandModule;

export async function runVersion(
  { check, licenses }: VersionOptions,
  context: CommandContext,
): Promise<void> {
  if (check && licenses) throw usageError('two_outputs', '--check and --licenses cannot be combined.');
  const { io, flags } = context;
  const newest = check ? await newestRelease(context) : undefined;
  if (licenses) io.out.write(licenceTexts());
  else if (flags.json) io.out.write(await versionDocument(newest));
  else if (newest === undefined) io.out.write(columnRows(COLUMNS, [{ version: VERSION }]));
  else if (io.out.isTTY) io.out.write(verdict(newest));
  else io.out.write(columnRows(CHECK_COLUMNS, [{ version: VERSION, newest }]));
}

/** Also the output of `skinsmith --version --json`. */
export async function versionDocument(newest?: string): Promise<string> {
  const { NEWEST_SCHEMA } = await import('../../server/server.ts');
  return jsonDocument({
    version: VERSION,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    install: isSea() ? 'executable' : 'npm',
    schema: NEWEST_SCHEMA,
    newest,
  } satisfies VersionView);
}

function verdict(newest: string): string {
  if (!isNewer(newest, VERSION)) return `This is skinsmith ${VERSION}. There is no newer release.\n`;
  return `This is skinsmith ${VERSION}. Release ${newest} is newer: see docs/upgrading.md.\n`;
}

/** Both are of the form 1.2.3, as releases are. */
function isNewer(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) > 0;
}

const REGISTRY = 'https://registry.npmjs.org';

const releaseSchema = z.object({ version: z.string().regex(/^\d+\.\d+\.\d+$/) });

async function newestRelease(context: CommandContext): Promise<string> {
  const url = registryUrl(context.env['npm_config_registry'] || REGISTRY);
  const { status, json } = await askOnce(url, 'release_unknown', context);
  if (status === 404) throw new CliError('no_release', `${url.host} has no release of skinsmith.`);
  const { data } = releaseSchema.safeParse(json);
  if (data) return data.version;
  const message = `${url.host} answered ${status}, without a version of skinsmith.`;
  throw new CliError('release_unknown', message, { exit: 'tryLater' });
}

function registryUrl(registry: string): URL {
  const url = URL.parse(`${registry.replace(/\/+$/, '')}/skinsmith/latest`);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw usageError('invalid_setting', 'npm_config_registry must be an http or https address.');
}

/** The build replaces this address with that of the program's folder. */
const PROGRAM = new URL('../../../', import.meta.url);
/** Only the executable has the last one. */
const LICENCES = ['LICENSE', 'dist/THIRD-PARTY-LICENSES.txt', 'NODE-LICENSE'];

function licenceTexts(): string {
  const files = LICENCES.map((name) => new URL(name, PROGRAM)).filter((file) => existsSync(file));
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}
