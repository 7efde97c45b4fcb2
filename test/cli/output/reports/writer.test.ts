import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openReport } from '../../../../src/cli/output/reports/writer.ts';
import { leaveTemporaryFiles } from '../../../support/batch/leave-temporary-file.ts';
import { failed, made, makeSummary } from '../../../support/cli/report-entries.ts';
import { parseXml } from '../../../support/cli/xml.ts';
import { failureOf } from '../../../support/client/test-client.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';

/** Nothing is there. */
const FREE = { isStream: false, verify: () => {} };

describe('a report', () => {
  test('appears when it is finished, with nothing beside it', async () => {
    const folder = await ownFolder();
    const path = join(folder, 'report.xml');
    const report = await openReport('junit', path, FREE);
    await report.add(made);
    expect(await readdir(folder)).not.toContain('report.xml');
    await report.finish(makeSummary({ total: 1, made: 1 }));
    expect(await readdir(folder)).toEqual(['report.xml']);
    expect(parseXml(await readFile(path, 'utf8')).attributes).toMatchObject({ tests: '1', failures: '0' });
  });

  test('keeps the old report until it is finished, and for good when it is abandoned', async () => {
    const folder = await ownFolder();
    const path = join(folder, 'report.html');
    await writeFile(path, 'old');
    const report = await openReport('html', path, FREE);
    await report.add(made);
    expect(await readFile(path, 'utf8')).toBe('old');
    await report.abandon();
    await report.abandon();
    expect(await readdir(folder)).toEqual(['report.html']);
    expect(await readFile(path, 'utf8')).toBe('old');
  });

  test.runIf(process.platform === 'linux')('starts without the parts of a killed report', async () => {
    const folder = await ownFolder();
    const path = join(folder, 'report.html');
    await leaveTemporaryFiles(path);
    const [left = ''] = await readdir(folder);
    await rm(join(folder, left));
    await mkdir(join(folder, left));
    await writeFile(join(folder, left, 'entries'), 'half');
    const report = await openReport('html', path, FREE);
    await report.finish(makeSummary());
    expect(await readdir(folder)).toEqual(['report.html']);
  });

  test('replaces the old one', async () => {
    const path = join(await ownFolder(), 'report.html');
    await writeFile(path, 'old');
    const report = await openReport('html', path, FREE);
    await report.finish(makeSummary());
    expect(await readFile(path, 'utf8')).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
  });

  test('creates its folder', async () => {
    const folder = await ownFolder();
    const report = await openReport('junit', join(folder, 'build/reports/skins.xml'), FREE);
    await report.finish(makeSummary());
    expect(await readdir(join(folder, 'build/reports'))).toEqual(['skins.xml']);
  });

  test('has its entries in the order of the sources, whenever they arrive', async () => {
    const path = join(await ownFolder(), 'report.xml');
    const report = await openReport('junit', path, FREE);
    for (const index of [2, 0, 1])
      await report.add({ ...made, source: `${'é'.repeat(index)}${index}`, index });
    await report.finish(makeSummary({ total: 3, made: 3 }));
    const names = [...(await readFile(path, 'utf8')).matchAll(/ name="(\W*\d)"/g)].map(([, name]) => name);
    expect(names).toEqual(['0', 'é1', 'éé2']);
  });

  test('keeps the order in which entries were added, even if nobody waits', async () => {
    const path = join(await ownFolder(), 'report.xml');
    const report = await openReport('junit', path, FREE);
    const sources = Array.from({ length: 3_000 }, (_, index) => `${index}-${'x'.repeat(index % 90)}`);
    await Promise.all(sources.map(async (source) => await report.add({ ...made, source })));
    await report.finish(makeSummary({ total: 3_000, made: 3_000 }));
    const suite = parseXml(await readFile(path, 'utf8')).children[0]!;
    const names = suite.children
      .filter(({ tag }) => tag === 'testcase')
      .map(({ attributes }) => attributes.name);
    expect(names).toEqual(sources);
  });

  test('lists the first 200 failures with the numbers of their cards', async () => {
    const path = join(await ownFolder(), 'report.html');
    const report = await openReport('html', path, FREE);
    for (let index = 0; index < 500; index++) await report.add(index % 2 === 0 ? made : failed);
    await report.finish(makeSummary({ total: 500, made: 250, failed: 250 }));
    const document = await readFile(path, 'utf8');
    const links = [...document.matchAll(/href="#skin-(\d+)"/g)].map(([, number]) => Number(number));
    expect(links).toEqual(Array.from({ length: 200 }, (_, index) => index * 2 + 2));
    expect(document).toContain('And 50 more');
    expect(document.match(/<li class="card failed"/g)).toHaveLength(250);
  });

  test('has pages of 500 entries, which lead to each other and count their own', async () => {
    const folder = await ownFolder();
    const report = await openReport('html', join(folder, 'my skins.html'), FREE);
    for (let index = 0; index < 1_001; index++)
      await report.add({ ...(index === 600 ? failed : made), source: `${index}.png` });
    await report.finish(makeSummary({ total: 1_001, made: 1_000, failed: 1 }));
    const names = ['my skins.html', 'my skins-2.html', 'my skins-3.html'];
    expect((await readdir(folder)).toSorted()).toEqual(names.toSorted());
    const pages = await Promise.all(names.map(async (name) => await readFile(join(folder, name), 'utf8')));
    expect(pages.map((page) => page.match(/<li class="card/g)?.length)).toEqual([500, 500, 1]);
    expect(pages[1]).toContain('<title>1,001 skins, 1 failed, page 2 of 3 – skinsmith</title>');
    expect(pages[1]).toMatch(/all <b>500<\/b>[\s\S]* made <b>499<\/b>[\s\S]* failed <b>1<\/b>/);
    expect(pages[1]).toContain(
      'Page <a href="./my%20skins.html">1</a> <b aria-current="page">2</b> <a href="./my%20skins-3.html">3</a>',
    );
    expect(pages[0]).toContain('<a href="./my%20skins-2.html#skin-601"><bdi>600.png</bdi></a>');
    expect([pages[1], pages[2]].join()).not.toContain('aria-label="Failures"');
  });

  test('replaces none of its files if one of them must stay', async () => {
    const folder = await ownFolder();
    const verify = (path?: string) => {
      if (path === join(folder, 'skins-2.html')) throw new Error('It must stay.');
    };
    const report = await openReport('html', join(folder, 'skins.html'), { isStream: false, verify });
    for (let index = 0; index < 501; index++) await report.add(made);
    await expect(report.finish(makeSummary({ total: 501, made: 501 }))).rejects.toThrow('It must stay.');
    expect(await readdir(folder)).toEqual([]);
  });

  test('is written once', async () => {
    const report = await openReport('junit', join(await ownFolder(), 'report.xml'), FREE);
    await report.finish(makeSummary());
    await report.abandon();
    await expect(report.finish(makeSummary())).rejects.toThrow('already closed');
    await expect(report.add(made)).rejects.toThrow('already closed');
  });
});

describe('a report that cannot be written', () => {
  test('is refused at the start if a folder has its name', async () => {
    const folder = await ownFolder();
    await expect(openReport('html', folder, FREE)).rejects.toMatchObject({
      code: 'report_unusable',
      exit: 'usage',
      hint: expect.any(String),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('is refused at the start if a part of the path is a file or a link to itself', async () => {
    const folder = await ownFolder();
    await writeFile(join(folder, 'file'), '');
    await symlink('loop', join(folder, 'loop'));
    await expect(openReport('html', join(folder, 'file/report.html'), FREE)).rejects.toMatchObject({
      code: 'ENOTDIR',
    });
    await expect(openReport('html', join(folder, 'loop'), FREE)).rejects.toMatchObject({ code: 'ELOOP' });
  });

  test('is named in the error, instead of its temporary folder, if that cannot be created', async () => {
    const path = '/proc/report.html';
    expect(await failureOf(openReport('html', path, FREE))).toMatchObject({ code: 'ENOENT', path });
  });

  test('is refused at the start and at the end if it would replace a file that must stay', async () => {
    const folder = await ownFolder();
    const path = join(folder, 'report.html');
    let isThere = true;
    const verify = () => {
      if (isThere) throw new Error('It must stay.');
    };
    const open = () => openReport('html', path, { isStream: false, verify });
    await expect(open()).rejects.toThrow('It must stay.');
    isThere = false;
    const report = await open();
    isThere = true;
    await expect(report.finish(makeSummary())).rejects.toThrow('It must stay.');
    expect(await readdir(folder)).toEqual([]);
  });

  test('leaves nothing behind when its place is taken in the end', async () => {
    const folder = await ownFolder();
    const path = join(folder, 'report.html');
    const report = await openReport('html', path, FREE);
    await mkdir(path);
    await expect(report.finish(makeSummary())).rejects.toMatchObject({ syscall: 'rename', path });
    expect(await readdir(folder)).toEqual(['report.html']);
  });
});
