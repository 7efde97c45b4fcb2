import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Heard } from '../../test-caller.ts';

const run = promisify(execFile);

/** What curl hears. Its arguments as they stand in a shell, the address last. */
export async function curl(...args: string[]): Promise<Heard> {
  const mark = '\n--curl--';
  const { stdout } = await run('curl', [
    '-sS',
    '--max-time',
    '20',
    '-w',
    `${mark}%{http_code} %{header_json}`,
    ...args,
  ]);
  const [body = '', rest = ''] = stdout.split(mark);
  const [status = '', ...json] = rest.split(' ');
  const headers = JSON.parse(json.join(' ')) as Record<string, string[]>;
  const bytes = Buffer.from(body);
  return {
    status: Number(status),
    headers: Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')])),
    bytes,
    body: JSON.parse(body) as Heard['body'],
  };
}
