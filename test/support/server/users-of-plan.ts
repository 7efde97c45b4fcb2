import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerOptions } from '../../../src/server/server.ts';
import { ownFolder } from './own-folder.ts';
import { runServer, type ServerUnderTest } from './running-server.ts';
import type { TestCaller } from './test-caller.ts';

/** Limits as a file of plans names them. */
export type PlanLimits = Readonly<Record<string, number | boolean>>;

/** A service with these plans and, for each, a user of its name. */
export async function runServerWithPlans<Name extends string>(
  plans: Readonly<Record<Name, PlanLimits>>,
  options: Partial<ServerOptions> = {},
): Promise<ServerUnderTest & { users: Record<Name, TestCaller> }> {
  const plansFile = join(await ownFolder(), 'plans.json');
  await writeFile(plansFile, JSON.stringify(plans));
  const server = await runServer({ ...options, plansFile });
  const users: Record<string, TestCaller> = {};
  for (const name of Object.keys(plans)) {
    users[name] = await server.user(name);
    await server.owner.patch(`/v2/account/users/${name}`, { plan: name });
  }
  return { ...server, users: users as Record<Name, TestCaller> };
}
