import type { Generator } from '../../../src/server/generators/port.ts';
import { jobRows } from './rows/job-rows.ts';
import type { Rows } from './rows/rows.ts';
import { type Keys, serviceRows } from './rows/service-rows.ts';
import { skinRows } from './rows/skin-rows.ts';
import { userRows } from './rows/user-rows.ts';

/** A service with consistent rows of every kind, which a program of this version can continue with. */
export async function makeRows(generator: Generator, keys: Keys): Promise<Rows> {
  const [skins, jobs] = [await skinRows(generator), jobRows(await generator.signer(''))];
  const textures = [...skins.textures, ...jobs.textures];
  return { ...userRows(), ...skins, ...jobs, ...(await serviceRows(keys)), textures };
}
