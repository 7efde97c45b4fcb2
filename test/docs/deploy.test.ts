import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAX_BATCH_BYTES } from '../../src/protocol/generate.ts';
import { DEFAULT_PORT } from '../../src/server/assembly/owner.ts';
import { EVENT_STREAM } from '../../src/server/http/route.ts';
import { ROUTES } from '../../src/server/http/routes/routes.ts';
import { refusal } from '../support/docs/refusal.ts';

function read(name: string): string {
  return readFileSync(join(import.meta.dirname, '../../deploy', name), 'utf8');
}

/** The words of all command lines of the example. */
function commandsOf(name: string): string[][] {
  const text = read(name);
  const started = [...text.matchAll(/^ExecStart=\S*skinsmith (.*)$/gm)].map(([, words = '']) => words);
  const typed = [...text.matchAll(/^# .*? skinsmith (keys .*)$|^# {3}skinsmith (.*)$/gm)].map(
    ([, inside = '', outside = '']) => inside || outside,
  );
  const listed = [...text.matchAll(/^CMD (\[.*\])$/gm)].map(
    ([, words = '']) => JSON.parse(words) as string[],
  );
  const lines = [...started, ...typed].map((line) => withOptions(line));
  return [...lines.map((line) => line.split(' ')), ...listed, ...composed(text)];
}

/** Without drop-ins, whose options are tested with the unit. */
function withOptions(line: string): string {
  const [, options = ''] = /^SKINSMITH_OPTIONS=(.*)$/m.exec(read('skinsmith.env')) ?? [];
  return line.replace(/( \$[A-Z]+_OPTIONS)+$/, ` ${options}`);
}

/** The list below `command:`. */
function composed(text: string): string[][] {
  const [, list = ''] = /^ {4}command:\n((?: {6}[-#] .*\n)+)/m.exec(text) ?? [];
  const words = list
    .split('\n')
    .filter((line) => line.startsWith('      - '))
    .map((line) => line.replace(/^ {6}- /, '').replace(/\$\{\w+:[^}]*\}/, 'x.example'));
  return list === '' ? [] : [words.filter((word) => word !== '')];
}

test.each([
  ['skinsmith.service', 2],
  ['cluster.conf', 1],
  ['Dockerfile', 1],
  ['compose.yaml', 2],
  ['compose-cluster.yaml', 2],
])('The program takes each command line of deploy/%s', async (name, count) => {
  const commands = commandsOf(name);
  expect(commands).toHaveLength(count);
  for (const words of commands) expect([words, await refusal(words)]).toEqual([words, undefined]);
});

test.each(['nginx.conf', 'Caddyfile'])('The proxy of deploy/%s lets through the longest body', (name) => {
  const [, megabytes] = /(?:client_max_body_size|max_size) (\d+)M/i.exec(read(name)) ?? [];
  expect(Number(megabytes) * 1_000_000).toBeGreaterThan(MAX_BATCH_BYTES);
});

test.each(['nginx.conf', 'Caddyfile', 'Dockerfile', 'compose.yaml', 'compose-cluster.yaml'])(
  'deploy/%s names the port that the service listens on',
  (name) => {
    expect(read(name)).toMatch(new RegExp(`\\b${DEFAULT_PORT}\\b`));
  },
);

test('Caddy asks each server of the cluster whether it is ready', () => {
  const text = read('compose-cluster.yaml');
  const asked = [...text.matchAll(/^ {8}\$\{COMPOSE_PROJECT_NAME\}-skinsmith-(\d+):(\d+)$/gm)];
  expect(asked.map(([, number]) => Number(number))).toEqual(asked.map((_, index) => index + 1));
  expect(asked.map(([, , port]) => Number(port))).toEqual(asked.map(() => DEFAULT_PORT));
  expect(text).toContain(`replicas: ${asked.length}\n`);
  const [, variable = ''] = /^\t\thealth_uri \{\$(\w+):\/health\}$/m.exec(read('Caddyfile')) ?? [];
  expect(text).toMatch(new RegExp(`^ {6}${variable}: /ready$`, 'm'));
  expect(ROUTES.flatMap(({ isVital, paths }) => (isVital ? paths : []))).toEqual(['/health', '/ready']);
});

test('Caddy tries other servers for some time, and waits long enough for the health check', () => {
  const text = read('Caddyfile');
  expect(text).toMatch(/^\t\tlb_try_duration \ds$/m);
  expect(Number(/^\t\thealth_timeout (\d+)s$/m.exec(text)?.[1])).toBeGreaterThan(5);
});

test('Caddy says when to try again while no server is ready', () => {
  expect(read('Caddyfile')).toMatch(/handle_errors[\s\S]*503[\s\S]*header @away Retry-After \d/);
});

test('nginx avoids a server that fails, and never repeats a request that may have an effect', () => {
  const text = read('nginx.conf');
  const servers = [...text.matchAll(/^ {4}(?:# )?server (.*);$/gm)].map(([, rest]) => rest);
  expect(servers).toHaveLength(3);
  for (const server of servers)
    expect(server).toMatch(new RegExp(`^[\\d.]+:${DEFAULT_PORT} max_fails=[1-9] fail_timeout=\\d+s$`));
  expect(text.match(/^ +proxy_next_upstream .*$/gm)).toEqual(['    proxy_next_upstream error timeout;']);
});

test('nginx buffers no stream of events', () => {
  const [, pattern = '', block = ''] = /location ~ (\S+) \{\n((?: {8}.*\n)+)/.exec(read('nginx.conf')) ?? [];
  expect(block).toContain('proxy_buffering off;');
  const events = ROUTES.filter(({ answers }) => answers[200] === EVENT_STREAM);
  expect(events).toHaveLength(1);
  for (const path of [...events.flatMap(({ paths }) => paths), '/ui/jobs/events'])
    expect(path).toMatch(new RegExp(pattern));
});

/** The instructions of a Dockerfile, each with what follows its name on the same line. */
function instructions(name: string): { readonly name: string; readonly rest: string }[] {
  const joined = read(name).replaceAll(/\\\n\s*/g, '');
  return [...joined.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, word = '', rest = '']) => ({ name: word, rest }));
}

test('The image runs its program and its health check without a shell, and not as root', () => {
  const all = instructions('Dockerfile');
  const rests = (name: string) => all.filter((one) => one.name === name).map(({ rest }) => rest);
  const [build, image] = rests('FROM');
  expect(build).toMatch(/^--platform=\$BUILDPLATFORM node:\d+-[a-z]+ AS build$/);
  expect(image).toBe('scratch');
  for (const rest of [...rests('ENTRYPOINT'), ...rests('CMD')])
    expect(JSON.parse(rest)).toBeInstanceOf(Array);
  expect(rests('HEALTHCHECK')).toEqual([expect.stringMatching(/ CMD \["skinsmith", "health"\]$/)]);
  expect(rests('USER')).toEqual(['1000:1000']);
  expect(rests('ADD')).toEqual([]);
  const afterUser = all.slice(all.findIndex(({ name }) => name === 'USER')).map(({ name }) => name);
  expect(afterUser.filter((name) => ['RUN', 'COPY', 'FROM'].includes(name))).toEqual([]);
});

test('Neither keys nor packages installed on this machine get into the image', () => {
  const ignored = read('Dockerfile.dockerignore').split('\n');
  const [, keys = ''] = /-out (\w+)\/signing-key\.pem/.exec(read('compose-cluster.yaml')) ?? [];
  expect(read('compose-cluster.yaml')).toContain(`- ./${keys}:/keys:ro`);
  for (const path of ['.git', '**/node_modules', 'dist', 'release', `deploy/${keys}`])
    expect(ignored).toContain(path);
});

test.each(['compose.yaml', 'compose-cluster.yaml'])(
  'The service of deploy/%s can write only where it must',
  (name) => {
    const [, service = ''] = /^ {2}skinsmith:\n((?: {4}.*\n)+)/m.exec(read(name)) ?? [];
    expect(service).toMatch(/^ {4}read_only: true$/m);
    expect(service).toMatch(/^ {4}cap_drop:\n {6}- ALL$/m);
    expect(service).toMatch(/^ {6}- no-new-privileges:true$/m);
    expect(service).toMatch(/^ {4}restart: unless-stopped$/m);
  },
);
