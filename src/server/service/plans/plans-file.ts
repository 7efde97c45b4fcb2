import { readFile, stat } from 'node:fs/promises';
import type { z } from 'zod';
import { parsedJson } from '../../../base/parsed-json.ts';
import { planFileSchema } from '../../../protocol/plan.ts';
import { type PlanSetting, Plans, planFrom, planView } from './plans.ts';

/** Maximum size of a plans file in bytes: enough for hundreds of plans. */
const MAX_BYTES = 256 * 1024;

/** A plans file that cannot be used; `message` names the file, the plan and the field. */
export class PlansFileError extends Error {
  override readonly name = 'PlansFileError';
  readonly code = 'plans_unusable';

  constructor(path: string, what: string, cause?: unknown) {
    super(`The plans in ${path} cannot be used: ${what}`, { cause });
  }
}

/**
 * The built-in plans with the changes from a JSON file: `{"<plan>": {"<limit>": …}}`, with limits named as in /v2/me.
 * @throws PlansFileError
 */
export async function readPlans(path: string, setting: PlanSetting = {}): Promise<Plans> {
  const parsed = planFileSchema.safeParse(await readJson(path));
  if (!parsed.success) throw new PlansFileError(path, faultOf(parsed.error), parsed.error);
  const builtIn = new Plans();
  const changes = Object.entries(parsed.data).map(([name, limits]) =>
    planFrom(Object.assign(planView(builtIn.named(name)), { burst: undefined }, limits, { name })),
  );
  return new Plans(changes, setting);
}

async function readJson(path: string): Promise<unknown> {
  const json = parsedJson(await readBytes(path));
  if (json === undefined) throw new PlansFileError(path, 'it is not valid JSON.');
  return json;
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size <= MAX_BYTES) return await readFile(path);
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new PlansFileError(path, isMissing ? 'there is no such file.' : 'it cannot be read.', cause);
  }
  throw new PlansFileError(path, `it has more than ${MAX_BYTES} bytes.`);
}

function faultOf({ issues: [first] }: z.ZodError): string {
  const [plan, field] = first?.path.map(String) ?? [];
  const where = [plan !== undefined && `plan ${plan}`, field].filter(Boolean).join(': ');
  const what = first?.code === 'invalid_key' ? first.issues[0]?.message : first?.message;
  return [where, what].filter(Boolean).join(': ');
}
