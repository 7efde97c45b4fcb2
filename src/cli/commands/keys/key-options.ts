import { type Command, Option } from 'commander';
import type { ApiKeyChange } from '../../../index.ts';
import { collect } from '../../batch/typed-options.ts';
import { network } from '../option-values.ts';

/** What a user types about a key. */
export interface TypedKeyOptions {
  readonly name?: string;
  readonly allowIp?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly allowAgent?: readonly string[];
  readonly v2Compat?: boolean;
}

export function addKeyOptions(command: Command): Command {
  return command
    .option('--name <name>', 'what to call the key')
    .option('--allow-ip <network>', 'use it from this address or network (CIDR) only (repeatable)', network)
    .option('--allow-origin <origin>', 'use it on pages of this origin only (repeatable)', collect)
    .option('--allow-agent <name>', 'use it by this program only, MyApp for MyApp/1.0 (repeatable)', collect)
    .option('--v2-compat', 'send version 1 requests with it through the queue of version 2')
    .option('--no-v2-compat', 'do not');
}

/** The same, and how to take bindings back. */
export interface TypedKeyChange extends TypedKeyOptions {
  readonly anyIp?: boolean;
  readonly anyOrigin?: boolean;
  readonly anyAgent?: boolean;
}

export function addKeyChangeOptions(command: Command): Command {
  return addKeyOptions(command)
    .addOption(new Option('--any-ip', 'use it from anywhere again').conflicts('allowIp'))
    .addOption(new Option('--any-origin', 'use it on any page again').conflicts('allowOrigin'))
    .addOption(new Option('--any-agent', 'use it by any program again').conflicts('allowAgent'));
}

/** What was typed, in the service's words. */
export function keyChange(typed: TypedKeyChange): ApiKeyChange {
  const allowedIps = typed.anyIp ? [] : typed.allowIp;
  const allowedOrigins = typed.anyOrigin ? [] : typed.allowOrigin;
  const allowedAgents = typed.anyAgent ? [] : typed.allowAgent;
  return {
    ...(typed.name !== undefined && { name: typed.name }),
    ...(allowedIps && { allowedIps: [...allowedIps] }),
    ...(allowedOrigins && { allowedOrigins: [...allowedOrigins] }),
    ...(allowedAgents && { allowedAgents: [...allowedAgents] }),
    ...(typed.v2Compat !== undefined && { v2Compat: typed.v2Compat }),
  };
}
