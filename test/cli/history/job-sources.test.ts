import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { JobSources } from '../../../src/cli/history.ts';
import { tempFolder } from '../../support/textures/temp-folder.ts';

const FILE = 'submissions.ndjson';
const line = (job: string, source: string) => `${JSON.stringify({ job, source })}\n`;

describe('JobSources', () => {
  test('remembers which source each job came from', async () => {
    const folder = join(await tempFolder(), 'data');
    const jobSources = new JobSources(folder);
    jobSources.record([{ job: 'j1', source: 'a.png' }]);
    jobSources.record([{ job: 'j2', source: 'Zoë\n🙂.png' }]);
    const expected = new Map([
      ['j1', 'a.png'],
      ['j2', 'Zoë\n🙂.png'],
    ]);
    expect(await jobSources.sources()).toEqual(expected);
    expect(await new JobSources(folder).sources()).toEqual(expected);
  });

  test('remembers what was sent for a job, if it names a picture', async () => {
    const folder = await tempFolder();
    const jobSources = new JobSources(folder);
    const sent = { content: { kind: 'file', path: '/skins/a.png' }, options: { name: 'a' } } as const;
    jobSources.record([{ job: 'j1', source: 'a.png', sent }]);
    await appendFile(
      join(folder, FILE),
      '{"job":"j2","source":"b.png","sent":{"content":{"kind":"file"}}}\n',
    );
    expect(await jobSources.of('j1')).toEqual({ job: 'j1', source: 'a.png', sent });
    expect(await jobSources.of('j2')).toEqual({ job: 'j2', source: 'b.png' });
    expect(await jobSources.of('j3')).toBeUndefined();
  });

  test('keeps what it remembers from other users', async () => {
    const folder = join(await tempFolder(), 'data');
    new JobSources(folder).record([{ job: 'j1', source: 'a.png' }]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, FILE))).mode & 0o777).toBe(0o600);
  });

  test('remembers nothing where nothing was submitted, and makes no file for that', async () => {
    const folder = await tempFolder();
    expect(await new JobSources(folder).sources()).toEqual(new Map());
    expect(await readdir(folder)).toEqual([]);
  });

  test('keeps the last source of a job that was recorded twice', async () => {
    const jobSources = new JobSources(await tempFolder());
    jobSources.record([{ job: 'j1', source: 'a.png' }]);
    jobSources.record([{ job: 'j1', source: 'b.png' }]);
    expect(await jobSources.sources()).toEqual(new Map([['j1', 'b.png']]));
  });

  test('skips a last line that a crash cut off, and lines that it did not write', async () => {
    const folder = await tempFolder();
    const foreign = '\nnull\n7\n[]\n{"job":1,"source":"x"}\n{"job":"x"}\nnot JSON\n';
    await writeFile(
      join(folder, FILE),
      `${line('j1', 'a.png')}${foreign}${line('j2', 'b.png')}{"job":"j3","sou`,
    );
    expect([...(await new JobSources(folder).sources()).keys()]).toEqual(['j1', 'j2']);
  });

  test('loses nothing when several programs record at once', async () => {
    const folder = await tempFolder();
    const jobs = Array.from({ length: 50 }, (_, index) => `j${index}`);
    for (const job of jobs) new JobSources(folder).record([{ job, source: 'a.png' }]);
    expect([...(await new JobSources(folder).sources()).keys()].sort()).toEqual(jobs.sort());
  });

  test('forgets the oldest when the file has grown too long, and leaves nothing beside it', async () => {
    const folder = await tempFolder();
    const path = join(folder, FILE);
    const lines = Array.from({ length: 6_000 }, (_, index) => line(`j${index}`, 'x'.repeat(400)));
    await appendFile(path, lines.join(''));
    const jobSources = new JobSources(folder);
    expect((await jobSources.sources()).size).toBe(6_000);
    expect(await readFile(path, 'utf8')).toBe(lines.slice(1_000).join(''));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual([FILE]);
    jobSources.record([{ job: 'new', source: 'n.png' }]);
    expect([...(await jobSources.sources()).keys()].at(-1)).toBe('new');
  });
});
