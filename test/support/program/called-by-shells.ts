import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Call, callProgram, type Ran } from './call-program.ts';

/** Sends its words, folder, input (of a command that reads it) and environment, and passes on what comes of them. */
const script = (port: number) => `#!/bin/bash
case " $* " in *' - '*) input=$(base64 -w 0) ;; esac
exec 3<>/dev/tcp/127.0.0.1/${port}
{ printf '%s\\0' $# "$@" "$PWD" "$input"; env -0; printf '\\0'; } >&3
read -r status errors <&3
[[ $errors ]] && base64 -d <<<"$errors" >&2
cat <&3
exit "$status"
`;

/**
 * Writes a `skinsmith` for shells whose command lines run inside this process, see `callProgram`. It reads all its
 * input first, and prints when it has ended.
 */
export async function writeForShells(path: string): Promise<void> {
  const server = createServer((socket) => void serve(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, script((server.address() as AddressInfo).port));
  await chmod(path, 0o755);
}

async function serve(socket: Socket): Promise<void> {
  let asked = '';
  for await (const chunk of socket.setEncoding('utf8').on('error', () => {})) {
    asked += chunk;
    const heard = parse(asked);
    if (!heard) continue;
    const { exitCode, stdout, stderr } = await callProgram(heard.args, heard.call).catch(failed);
    socket.end(`${exitCode} ${Buffer.from(stderr).toString('base64')}\n${stdout}`);
  }
}

function failed(error: Error): Ran {
  return { exitCode: 1, stdout: '', stderr: String(error) };
}

/** What the script has sent, once it is complete. */
function parse(asked: string): { args: string[]; call: Call } | undefined {
  const [count, ...fields] = asked.split('\0');
  const args = fields.slice(0, Number(count));
  const [cwd = '', input = '', ...env] = fields.slice(args.length);
  if (!env.slice(0, -1).includes('')) return undefined;
  const variables = env.filter(Boolean).map((line) => line.split(/=(.*)/s).slice(0, 2));
  return { args, call: { cwd, input: Buffer.from(input, 'base64'), env: Object.fromEntries(variables) } };
}
