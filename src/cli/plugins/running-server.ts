import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Folders of a server that may be worlds. */
const MAX_FOLDERS = 200;

/**
 * The file by which a server that runs holds one of its worlds, if the plugin's folder is one of a server's `plugins`: Minecraft keeps
 * it locked, and leaves it there when it stops.
 * @param locks the list of locks of the system, where Linux has it
 */
export function heldWorld(pluginFolder: string, locks = '/proc/locks'): string | undefined {
  const server = dirname(dirname(resolve(pluginFolder)));
  return worldsIn(server)
    .map((world) => join(server, world, 'session.lock'))
    .find((file) => isHeld(file, locks));
}

function worldsIn(server: string): readonly string[] {
  try {
    const folders = readdirSync(server, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return folders.slice(0, MAX_FOLDERS).map(({ name }) => name);
  } catch {
    return []; // not the folder of a server, or not readable
  }
}

function isHeld(file: string, locks: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) return false;
  const listed = readableText(locks);
  if (listed !== undefined) return new RegExp(`:${found.ino} `).test(listed);
  return readableText(file) === undefined; // Windows lets nobody read a file that is locked
}

function readableText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
