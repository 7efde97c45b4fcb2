import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expectAsDescribed } from '../../contract/checked-answers.ts';
import type { Heard } from '../../server/test-caller.ts';

const run = promisify(execFile);

/** curl's output. Its arguments as in a shell, the address last. */
export async function curl(...args: string[]): Promise<Heard> {
  const mark = '\n--curl--';
  const { stdout } = await run('curl', [
    '-sS',
    '--max-time',
    '20',
    '-w',
    `${mark}%{method} %{http_code} %{header_json}`,
    ...args,
  ]);
  const [body = '', rest = ''] = stdout.split(mark);
  const [method = '', status = '', ...json] = rest.split(' ');
  const named = Object.entries(JSON.parse(json.join(' ')) as Record<string, string[]>);
  const headers = Object.fromEntries(named.map(([name, values]) => [name, values.join(', ')]));
  const heard = { status: Number(status), headers, bytes: Buffer.from(body) };
  const { pathname, search } = new URL(args.at(-1) ?? '');
  expectAsDescribed({ method, address: `${pathname}${search}`, ...heard });
  return { ...heard, body: JSON.parse(body) as Heard['body'] };
}
