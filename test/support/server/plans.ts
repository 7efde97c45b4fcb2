import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownFolder } from './own-folder.ts';
import { openOwnStore, type ServerUnderTest } from './running-server.ts';
import type { TestCaller } from './test-caller.ts';

/** A user who has paid, so that private skins are among the grants. */
export async function userWithPlan(server: ServerUnderTest, name: string, plan = 'pro'): Promise<TestCaller> {
  const caller = await server.user(name);
  const { db } = await openOwnStore(server.dataDir);
  await db.updateTable('users').set({ plan }).where('name', '=', name).execute();
  return caller;
}

/** A file of plans to start a server with. */
export async function plansFile(content: unknown): Promise<string> {
  const path = join(await ownFolder(), 'plans.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
