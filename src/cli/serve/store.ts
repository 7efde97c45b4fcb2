import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { PostgresSettings } from '../../server/server.ts';
import type { CommandContext } from '../context/context.ts';
import { type CliError, usageError } from '../errors/exit.ts';
import type { ServeOptions } from './options.ts';
import type { OwnLog } from './own-log.ts';

export type StoreOptions = Pick<ServeOptions, 'store' | 'storeConnections' | 'storePooler'>;

type StoreContext = Pick<CommandContext, 'env' | 'signal'> & { readonly messages: Pick<OwnLog, 'warn'> };

/** Milliseconds that a service waits for its database when it starts: machines start in any order. */
const PATIENCE = 30_000;
const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const STRICTEST = 'verify-full';

/** The database that is the store; undefined: a file in the data folder. Options override the environment. @throws CliError */
export function chooseStore(typed: StoreOptions, context: StoreContext): PostgresSettings | undefined {
  const text = typed.store ?? context.env['SKINSMITH_STORE'];
  if (text) return settingsOf(text, typed, context);
  if (typed.storeConnections === undefined && typed.storePooler === undefined) return undefined;
  throw wrong(
    'The options --store-… work only with a store in PostgreSQL.',
    'Name it: --store postgres://user@host/name',
  );
}

/** A database by its address. @throws CliError */
export function settingsOf(
  text: string,
  { storeConnections: connections, storePooler = false }: StoreOptions,
  { env, signal, messages }: StoreContext,
): PostgresSettings {
  const onWaiting = (reason: string) => void messages.warn(`${reason}. Waiting for it.`);
  return {
    url: databaseUrl(text, env),
    prepares: !storePooler,
    ...(connections !== undefined && { connections }),
    patience: { limit: PATIENCE, signal, onWaiting },
  };
}

/** Messages do not repeat the address: it may hold a password. */
function databaseUrl(text: string, env: NodeJS.ProcessEnv): string {
  const url = URL.parse(text);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.hash !== '' || namesHosts(url) || isCutOff(url))
    throw wrong('The store must be an address like postgres://user@host/name.', OF_ADDRESSES);
  addVariables(env, url.searchParams);
  trustSystem(url.searchParams);
  verifyTls(url.searchParams);
  return url.href;
}

const OF_ADDRESSES =
  'It names one host, that of the primary. In a password, encode special characters: %2F (/), %3F (?), %23 (#) and so on.';

/** A / or ? in the password has ended the host: the rest of the password, and the @, are in what follows it. */
function isCutOff({ pathname, search }: URL): boolean {
  return `${pathname}${search}`.includes('@');
}

/** Several hosts, of which libpq would choose one. */
function namesHosts({ hostname, searchParams }: URL): boolean {
  return `${hostname}${searchParams.get('host') ?? ''}`.includes(',');
}

/** The variables of all PostgreSQL clients that the driver does not read as they do. */
const VARIABLES = {
  passfile: 'PGPASSFILE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
} as const;

function addVariables(env: NodeJS.ProcessEnv, parameters: URLSearchParams): void {
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const value = env[variable];
    if (value && !parameters.has(name)) parameters.set(name, value);
  }
  const usual = usualPasswordFile(env);
  if (usual !== undefined && !parameters.has('passfile')) parameters.set('passfile', usual);
}

function usualPasswordFile({ HOME, APPDATA }: NodeJS.ProcessEnv): string | undefined {
  if (process.platform === 'win32') return APPDATA && join(APPDATA, 'postgresql', 'pgpass.conf');
  return HOME && join(HOME, '.pgpass');
}

/** `sslrootcert=system`: the authorities that the system trusts, which are those that Node.js does. @throws CliError */
function trustSystem(parameters: URLSearchParams): void {
  if (parameters.get('sslrootcert') !== 'system') return;
  parameters.delete('sslrootcert');
  if ((parameters.get('sslmode') ?? STRICTEST) !== STRICTEST)
    throw wrong(`With sslrootcert=system the sslmode of the store must be ${STRICTEST}.`);
  parameters.set('sslmode', STRICTEST);
}

function verifyTls(parameters: URLSearchParams): void {
  const mode = parameters.get('sslmode');
  if (mode !== null && !TLS_MODES.includes(mode))
    throw wrong(`The sslmode of the store must be one of ${TLS_MODES.join(', ')}.`);
  if (mode === 'verify-ca' && !parameters.has('sslrootcert'))
    throw wrong('With sslmode=verify-ca the store needs a certificate: add sslrootcert=FILE.');
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = parameters.get(name);
    if (file !== null && !isReadable(file))
      throw wrong(`The file ${file} (${name} of the store) cannot be read.`);
  }
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false; // the caller says so
  }
}

export function wrong(message: string, hint?: string): CliError {
  return usageError('invalid_setting', message, hint);
}
