import fs from 'node:fs';
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

/**
 * Watches what is done, synchronously, to the files below a folder, until the test is over.
 * @param before called before each step, from 1 on; what it throws happens in place of the step
 * @returns the steps so far, those that failed among them
 */
export function watchSteps(
  folder: string,
  before: (number: number, step: FileStep) => void = () => {},
): { readonly steps: FileStep[]; readonly unwatch: () => void } {
  const steps: FileStep[] = [];
  const open = new Map<number, string>();
  const note = (act: FileStep['act'], path: unknown, to?: unknown) => {
    if (!String(path).startsWith(folder + sep) && path !== folder) return;
    const step = { act, path: String(path), ...(to !== undefined && { to: String(to) }) };
    steps.push(step);
    before(steps.length, step);
  };
  const watched = {
    openSync: (path, flags, mode) => {
      if (String(flags).startsWith('w')) note('make', path);
      const fd = openSync(path, flags, mode);
      open.set(fd, String(path));
      return fd;
    },
    writeFileSync: (file, data, options) => {
      note('write', typeof file === 'number' ? open.get(file) : file);
      writeFileSync(file, data, options);
    },
    fsyncSync: (fd) => {
      note('flush', open.get(fd));
      fsyncSync(fd);
    },
    closeSync: (fd) => {
      open.delete(fd);
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
  Object.assign(fs, watched);
  syncBuiltinESMExports();
  const unwatch = () => {
    Object.assign(fs, {
      ...{ openSync, writeFileSync, fsyncSync, closeSync, renameSync, rmSync, linkSync, copyFileSync },
    });
    syncBuiltinESMExports();
  };
  onTestFinished(unwatch);
  return { steps, unwatch };
}
