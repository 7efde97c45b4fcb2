import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { refusal } from '../support/docs/refusal.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const UNIT = 'skinsmith.service';
/** The same for several processes on one machine. */
const TEMPLATE = 'skinsmith@.service';
const DROP_INS = readdirSync(DEPLOY).filter((name) => /^[a-z]+\.conf$/.test(name) && name !== 'nginx.conf');

interface Directive {
  readonly section: string;
  readonly name: string;
  readonly value: string;
}

function read(name: string): string {
  return readFileSync(join(DEPLOY, name), 'utf8');
}

/** All lines that are neither empty nor comments. @throws Error for one that systemd would not understand */
function directives(name: string): Directive[] {
  const found: Directive[] = [];
  let section = '';
  for (const line of read(name).split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, heading] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, key, value] = /^([A-Z]\w*)=(.*)$/.exec(line) ?? [];
    if (heading !== undefined) section = heading;
    else if (key !== undefined && value !== undefined) found.push({ section, name: key, value });
    else throw new Error(`${name}: ${line}`);
  }
  return found;
}

function valuesOf(file: string, directive: string): string[] {
  return directives(file).flatMap(({ name, value }) => (name === directive ? [value] : []));
}

/** Variables as a file sets them: `A=b C=` or `"A=b c"`. */
function variablesOf(file: string): Map<string, string> {
  const words = valuesOf(file, 'Environment').flatMap((value) => value.match(/"[^"]*"|\S+/g) ?? []);
  return new Map(
    words.map((word) => {
      const [, name = '', value = ''] = /^"?(\w+)=(.*?)"?$/.exec(word) ?? [];
      return [name, value];
    }),
  );
}

/** The credentials that values of the file name. */
function credentialsUsed(file: string): string[] {
  const values = directives(file).map(({ value }) => value);
  return values.flatMap((value) => [...value.matchAll(/%d\/([\w.-]+)/g)].map(([, name = '']) => name));
}

/** The unit's command line with these drop-ins, as the program gets it. */
function commandWith(dropIns: readonly string[]): string[] {
  const variables = new Map([UNIT, ...dropIns].flatMap((file) => [...variablesOf(file)]));
  const [, options = ''] = /^SKINSMITH_OPTIONS=(.*)$/m.exec(read('skinsmith.env')) ?? [];
  variables.set('SKINSMITH_OPTIONS', options);
  const [, line = ''] = /^\/\S+\/skinsmith (.*)$/.exec(valuesOf(UNIT, 'ExecStart').join('\n')) ?? [];
  return line.split(' ').flatMap((word) => {
    if (!/^\$[A-Z]/.test(word)) return [word];
    return (variables.get(word.slice(1)) ?? `${word} is not set`).split(' ').filter((part) => part !== '');
  });
}

const KNOWN: Readonly<Record<string, string>> = {
  Unit: 'Description Documentation Wants After',
  Service: `Type EnvironmentFile ExecStart StandardOutput StandardError Environment TimeoutStopSec Restart
    RestartSec LimitNOFILE DynamicUser StateDirectory StateDirectoryMode CacheDirectory UMask CapabilityBoundingSet
    AmbientCapabilities NoNewPrivileges ProtectSystem ProtectHome ProtectProc PrivateTmp PrivateDevices PrivateUsers
    ProtectClock ProtectControlGroups ProtectHostname ProtectKernelLogs ProtectKernelModules ProtectKernelTunables
    RemoveIPC RestrictAddressFamilies RestrictNamespaces RestrictRealtime RestrictSUIDSGID LockPersonality
    SystemCallArchitectures SystemCallFilter SystemCallErrorNumber LoadCredential`,
  Install: 'WantedBy',
};

test.each([UNIT, TEMPLATE, ...DROP_INS])('systemd has each directive of deploy/%s', (file) => {
  const all = directives(file);
  expect(all.length).toBeGreaterThan(1);
  const unknown = all.filter(({ section, name }) => !KNOWN[section]?.split(/\s+/).includes(name));
  expect(unknown).toEqual([]);
});

/** What systemd itself says of the unit with all drop-ins; nothing where systemd is not installed. */
async function complaints(unit: string, instance: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'systemd-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const beside = join(folder, `${unit}.d`);
  mkdirSync(beside);
  for (const name of DROP_INS) writeFileSync(join(beside, name), read(name));
  // It looks for the program, which need not be installed here.
  writeFileSync(join(folder, unit), read(unit).replace(/^(ExecStart=)\S+/m, `$1${process.execPath}`));
  return await new Promise((resolve, reject) => {
    execFile('systemd-analyze', ['verify', '--man=no', join(folder, instance)], (error, _stdout, stderr) => {
      if (error?.code === 'ENOENT') resolve('');
      else if (error && stderr === '') reject(error);
      else resolve(stderr);
    });
  });
}

test.each([
  [UNIT, UNIT],
  [TEMPLATE, 'skinsmith@7547.service'],
])('systemd accepts %s with all drop-ins without warnings', async (unit, instance) => {
  expect(await complaints(unit, instance)).toBe('');
});

test('The template unit is the unit with a port and with folders of its own', () => {
  const plain = (text: string) => text.replaceAll('/%i', '').replace(/^#.*\n+/gm, '');
  const template = plain(read(TEMPLATE)).replace(', port %i', '').replace(' --port %i', '');
  expect(template).toBe(plain(read(UNIT)));
  expect(valuesOf(TEMPLATE, 'StateDirectory')).toEqual(['skinsmith/%i']);
});

test('The unit denies the program what it does not need, but lets Node compile', () => {
  const all = directives(UNIT).map(({ name, value }) => `${name}=${value}`);
  const yes = `DynamicUser NoNewPrivileges ProtectHome PrivateTmp PrivateDevices PrivateUsers ProtectClock
    ProtectControlGroups ProtectHostname ProtectKernelLogs ProtectKernelModules ProtectKernelTunables RestrictNamespaces
    RestrictRealtime RestrictSUIDSGID LockPersonality`;
  const lines = yes.split(/\s+/).map((name) => `${name}=yes`);
  lines.push('ProtectSystem=strict', 'CapabilityBoundingSet=', 'SystemCallFilter=~@privileged');
  expect(all).toEqual(expect.arrayContaining(lines));
  expect(all.filter((line) => line.startsWith('MemoryDenyWriteExecute'))).toEqual([]);
});

test.each(DROP_INS)(
  'deploy/%s loosens no restriction, and loads exactly the credentials that it uses',
  (file) => {
    const names = directives(file).map(({ section, name }) => `${section} ${name}`);
    expect(new Set(names)).toEqual(new Set(['Service LoadCredential', 'Service Environment']));
    const loaded = valuesOf(file, 'LoadCredential').map((value) => value.split(':'));
    for (const [name, path] of loaded) expect(path).toBe(`/etc/skinsmith/${name}`);
    expect(credentialsUsed(file).sort()).toEqual(loaded.map(([name]) => name).sort());
    for (const [name] of loaded) expect(read(file)).toMatch(new RegExp(`^# .*\\b${name}\\b`, 'm'));
  },
);

test.each([[[]], ...DROP_INS.map((name) => [[name]]), [DROP_INS]])(
  'The program takes the command line of the unit with the drop-ins %j',
  async (dropIns: readonly string[]) => {
    const words = commandWith(dropIns);
    expect([words, await refusal(words)]).toEqual([words, undefined]);
    for (const file of dropIns) {
      const options = [...variablesOf(file)].filter(([name]) => name.endsWith('_OPTIONS'));
      for (const [, value] of options) expect(` ${words.join(' ')} `).toContain(` ${value} `);
      expect(options).toHaveLength(1);
    }
  },
);

test('There are drop-ins for a server of a cluster and for a hosted service', () => {
  expect(DROP_INS.sort()).toEqual(['cluster.conf', 'upstream.conf']);
  expect(variablesOf('cluster.conf').get('PGPASSFILE')).toBe('%d/pgpass');
  expect(variablesOf('cluster.conf').get('SKINSMITH_STORE')).toMatch(/^postgres:\/\/[^:@]+@/);
});
