import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ApiKeyChange } from '../../index.ts';
import { collect } from './batch-options.ts';
import { network } from './option-values.ts';

/** Options that describe a key. */
export interface TypedKeyOptions {
  readonly name?: string;
  readonly allowIp?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly allowAgent?: readonly string[];
  readonly v2Compat?: boolean;
  readonly scope?: readonly Scope[];
}

export function addKeyOptions(command: Command): Command {
  return command
    .option('--name <name>', 'name of the key')
    .option(
      '--allow-ip <network>',
      'accept the key only from this address or network (CIDR) (repeatable)',
      network,
    )
    .option('--allow-origin <origin>', 'accept the key only from pages of this origin (repeatable)', collect)
    .option(
      '--allow-agent <name>',
      'accept the key only from this program, such as MyApp for MyApp/1.0 (repeatable)',
      collect,
    )
    .option(
      '--scope <scopes>',
      'what the key may do: read, generate, skins, account, operator (repeatable or comma-separated)',
      scopes,
    )
    .option('--v2-compat', 'route version 1 requests with this key through the version 2 queue')
    .option('--no-v2-compat', 'do not route them through the queue');
}

/** The same options, and those that remove bindings. */
export interface TypedKeyChange extends TypedKeyOptions {
  readonly anyIp?: boolean;
  readonly anyOrigin?: boolean;
  readonly anyAgent?: boolean;
}

export function addKeyChangeOptions(command: Command): Command {
  return addKeyOptions(command)
    .addOption(new Option('--any-ip', 'accept the key from any address again').conflicts('allowIp'))
    .addOption(new Option('--any-origin', 'accept the key from any page again').conflicts('allowOrigin'))
    .addOption(new Option('--any-agent', 'accept the key from any program again').conflicts('allowAgent'));
}

/** Converts the options to the fields of the service's API. */
export function keyChange(typed: TypedKeyChange): ApiKeyChange {
  const allowedIps = typed.anyIp ? [] : typed.allowIp;
  const allowedOrigins = typed.anyOrigin ? [] : typed.allowOrigin;
  const allowedAgents = typed.anyAgent ? [] : typed.allowAgent;
  return {
    ...(typed.name !== undefined && { name: typed.name }),
    ...(allowedIps && { allowedIps: [...allowedIps] }),
    ...(allowedOrigins && { allowedOrigins: [...allowedOrigins] }),
    ...(allowedAgents && { allowedAgents: [...allowedAgents] }),
    ...(typed.scope && { scopes: [...typed.scope] }),
    ...(typed.v2Compat !== undefined && { v2Compat: typed.v2Compat }),
  };
}

type Scope = NonNullable<ApiKeyChange['scopes']>[number];

/** Field names of the service's API; a table, so that the compiler reports a missing one. */
const SCOPES = { read: 1, generate: 1, skins: 1, account: 1, operator: 1 } as const satisfies Record<
  Scope,
  1
>;

function scopes(text: string, earlier: readonly Scope[] = []): Scope[] {
  const named = text.split(',').map((one) => one.trim());
  if (named.every((one): one is Scope => Object.hasOwn(SCOPES, one))) return [...earlier, ...named];
  throw new InvalidArgumentError(`The scopes are ${Object.keys(SCOPES).join(', ')}.`);
}
