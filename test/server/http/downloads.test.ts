import { readdirSync, readlinkSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { storedPackAnswer } from '../../../src/server/http/downloads.ts';
import { ownFolder } from '../../support/server/own-folder.ts';

/** Whether this process has a file open. */
function isOpen(path: string): boolean {
  return readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false; // closed meanwhile
    }
  });
}

test.runIf(process.platform === 'linux').each(['at its end', 'in the middle'])(
  'A stored pack is closed when its reader leaves %s',
  async (where) => {
    const path = join(await ownFolder(), 'pack.zip');
    await writeFile(path, Buffer.alloc(1024 * 1024));
    const { size } = await stat(path);
    const request = { method: 'GET', holdUnread: () => {} } as const;
    const { body } = storedPackAnswer(request, 'a'.repeat(40), { path, size });
    let read = 0;
    for await (const piece of body as Readable) {
      read += piece.length;
      expect(isOpen(path)).toBe(true);
      if (where === 'in the middle') break;
    }
    expect(read).toBe(where === 'in the middle' ? 64 * 1024 : size);
    await vi.waitFor(() => expect(isOpen(path)).toBe(false));
  },
);
