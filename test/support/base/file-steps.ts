import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';
import { onTestFinished } from 'vitest';

/** What a program did to a file or folder. `flush`: it is on the disk now. */
export interface FileStep {
  readonly act: 'make' | 'write' | 'flush' | 'rename' | 'remove' | 'link' | 'copy';
  readonly path: string;
  /** The new name. */
  readonly to?: string;
}

const { openSync, writeFileSync, fsyncSync, closeSync, renameSync, rmSync, linkSync, copyFileSync } = fs;
const SYNC = { openSync, writeFileSync, fsyncSync, closeSync, renameSync, rmSync, linkSync, copyFileSync };
const { open, writeFile, rename, rm, link, copyFile } = fs.promises;
const ASYNC = { open, writeFile, rename, rm, link, copyFile };

/** What is done next; what it throws happens in place of the step. */
type Note = (act: FileStep['act'], path: unknown, to?: unknown) => void;

/**
 * Watches what is done to the files below a folder, until the test is over.
 * @param before called before each step, from 1 on; what it throws happens in place of the step, or after the half of a write
 * @returns the steps so far, those that failed among them
 */
export function watchSteps(
  folder: string,
  before: (number: number, step: FileStep) => void = () => {},
): { readonly steps: FileStep[]; readonly unwatch: () => void } {
  const steps: FileStep[] = [];
  const note: Note = (act, path, to) => {
    if (!String(path).startsWith(folder + sep) && path !== folder) return;
    const step = { act, path: String(path), ...(to !== undefined && { to: String(to) }) };
    steps.push(step);
    before(steps.length, step);
  };
  Object.assign(fs, watchedCalls(note));
  Object.assign(fs.promises, watchedPromises(note));
  syncBuiltinESMExports();
  const unwatch = () => {
    Object.assign(fs, SYNC);
    Object.assign(fs.promises, ASYNC);
    syncBuiltinESMExports();
  };
  onTestFinished(unwatch);
  return { steps, unwatch };
}

function watchedCalls(note: Note) {
  const names = new Map<number, string>();
  return {
    openSync: (path, flags, mode) => {
      if (String(flags).startsWith('w')) note('make', path);
      const fd = openSync(path, flags, mode);
      names.set(fd, String(path));
      return fd;
    },
    writeFileSync: (file, data, options) => {
      const write = (part: string | Uint8Array) => writeFileSync(file, part, options);
      orHalf(data, write, () => note('write', typeof file === 'number' ? names.get(file) : file));
      writeFileSync(file, data, options);
    },
    fsyncSync: (fd) => {
      note('flush', names.get(fd));
      fsyncSync(fd);
    },
    closeSync: (fd) => {
      names.delete(fd);
      closeSync(fd);
    },
    renameSync: (from, to) => {
      note('rename', from, to);
      renameSync(from, to);
    },
    rmSync: (path, options) => {
      note('remove', path);
      rmSync(path, options);
    },
    linkSync: (from, to) => {
      note('link', from, to);
      linkSync(from, to);
    },
    copyFileSync: (from, to, mode) => {
      note('copy', from, to);
      copyFileSync(from, to, mode);
    },
  } satisfies Partial<typeof fs>;
}

function watchedPromises(note: Note) {
  return {
    open: async (path, flags, mode) => {
      if (String(flags).startsWith('w')) note('make', path);
      return watchedHandle(await open(path, flags, mode), path, note);
    },
    writeFile: async (file, data, options) => {
      const write = (part: string | Uint8Array) => writeFileSync(String(file), part);
      orHalf(data, write, () => note('write', file));
      await writeFile(file, data, options);
    },
    rename: async (from, to) => {
      note('rename', from, to);
      await rename(from, to);
    },
    rm: async (path, options) => {
      note('remove', path);
      await rm(path, options);
    },
    link: async (from, to) => {
      note('link', from, to);
      await link(from, to);
    },
    copyFile: async (from, to, mode) => {
      note('copy', from, to);
      await copyFile(from, to, mode);
    },
  } satisfies Partial<typeof fs.promises>;
}

function watchedHandle(file: FileHandle, path: unknown, note: Note): FileHandle {
  const [whole, sync] = [file.writeFile.bind(file), file.sync.bind(file)];
  file.writeFile = async (data, options) => {
    const write = (part: string | Uint8Array) => writeFileSync(file.fd, part);
    orHalf(data, write, () => note('write', path));
    await whole(data, options);
  };
  file.sync = async () => {
    note('flush', path);
    await sync();
  };
  return file;
}

/** A write that fails has written something: the disk was full in the middle of it. */
function orHalf(data: unknown, write: (half: string | Uint8Array) => void, step: () => void): void {
  try {
    step();
  } catch (error) {
    if (typeof data === 'string') write(data.slice(0, data.length / 2));
    else if (data instanceof Uint8Array) write(data.subarray(0, data.length / 2));
    throw error;
  }
}
