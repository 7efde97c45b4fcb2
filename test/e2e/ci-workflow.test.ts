import { execa } from 'execa';
import { expect, test } from 'vitest';
import { NOWHERE } from '../support/program/batches.ts';
import { AUTHOR, Repository } from '../support/program/repository.ts';
import { sampled, testWhole } from '../support/setup/extent.ts';

/** A repository whose pictures are signed. */
async function signed(count: number): Promise<Repository> {
  const repository = await Repository.make();
  await repository.shop.drawMany('examples', count);
  await repository.push();
  expect((await repository.run('push')).statuses).toEqual([undefined, 0, 0]);
  expect(await repository.lock()).toHaveLength(count);
  await repository.pull();
  return repository;
}

test('The workflow commits what each run has made until all is done, also where a picture is broken', async () => {
  const repository = await Repository.make();
  const { shop } = repository;
  await shop.drawMany('examples', 15);
  await shop.write('examples/broken.png', 'no picture');
  await repository.push();
  const first = await repository.run('push', { maxNew: 10 });
  expect(first.statuses).toEqual([undefined, 1, 0]);
  expect(first.output).toMatch(
    /^::error file=examples\/broken\.png,title=skinsmith%3A invalid_image::examples/m,
  );
  expect(first.summary).toMatch(/^16 sources: 10 made, 1 failed, 5 left.*\n\n\| source/m);
  expect(first.summary).toContain('| examples/broken.png | ');
  expect(first.outputs).toBe('made=10\nleft=6\n');
  expect(await repository.lock()).toHaveLength(10);
  await repository.pull();
  await shop.draw({ 'examples/broken': 99 });
  await repository.push();
  expect((await repository.run('push')).statuses).toEqual([undefined, 0, 0]);
  expect(await repository.lock()).toHaveLength(16);
  expect((await repository.run('push')).statuses).toEqual([undefined, 0, 0]); // nothing to commit
  expect(await repository.log()).toEqual(['Begin', 'Draw skins', 'Sign skins', 'Draw skins', 'Sign skins']);
  expect(repository.paid).toEqual([16, 0]);
});

// In this test and the next two: the action does the same below, and the run above has a broken picture.
testWhole(
  'The workflow announces and makes 20 skins that a pull request added, and fails for a broken one',
  async () => {
    const repository = await signed(2);
    const { shop } = repository;
    await shop.drawMany('examples/more', 20, 50);
    await shop.draw({ 'examples/01': 11 });
    await repository.push();
    const { statuses, output, summary } = await repository.run('pull_request');
    expect(statuses).toEqual([0, undefined, undefined]);
    expect(output).toMatch(/^changed: examples\/01\.png$/m);
    expect(output.match(/^::.*/gm)).toEqual([
      expect.stringMatching(
        /^::notice title=skinsmith%3A new::22 sources: 1 in the lockfile, 21 to be made\./,
      ),
    ]);
    expect(summary).toContain('| examples/more/01.png | new, to be made |');
    expect((await repository.run('push')).statuses).toEqual([undefined, 0, 0]);
    expect([(await repository.lock()).length, repository.paid]).toEqual([22, [23, 0]]);
    await shop.write('examples/broken.png', 'no picture');
    await repository.push();
    expect((await repository.run('pull_request')).statuses).toEqual([1, undefined, undefined]);
  },
);

testWhole('The workflow drops a deleted picture, which pull requests only report', async () => {
  const repository = await signed(3);
  await repository.remove('examples/02.png');
  await repository.push();
  const request = await repository.run('pull_request');
  expect(request.statuses).toEqual([0, undefined, undefined]);
  expect(request.output).toMatch(/^gone: examples\/02\.png$/m);
  expect(request.output).toContain('::notice title=skinsmith%3A new::2 sources: 2 in the lockfile, 1 more');
  const main = await repository.run('push');
  expect(main.output).toContain('Dropped examples/02.png from the lockfile; deleted signed/02.json.');
  expect(main.statuses).toEqual([undefined, 0, 0]);
  expect(await repository.sources()).toEqual(['01.png', '03.png']);
  expect(await repository.files('signed')).toEqual(['01.json', '03.json', 'skins.lock']);
  expect((await repository.run('pull_request')).output).not.toContain('gone');
  expect(repository.paid).toEqual([3, 0]);
});

testWhole(
  'The workflow moves the entry and the output of a renamed picture, and submits nothing',
  async () => {
    const repository = await signed(3);
    await repository.move('examples/02.png', 'examples/guard.png');
    await repository.push();
    const request = await repository.run('pull_request');
    expect([request.statuses[0], request.output]).toEqual([
      0,
      expect.stringMatching(/^renamed: examples\/02\.png to examples\/guard\.png$/m),
    ]);
    const main = await repository.run('push');
    expect(main.output).toContain(
      'Renamed examples/02.png to examples/guard.png in the lockfile; signed/02.json is now signed/guard.json.',
    );
    expect(main.output).not.toContain('Dropped');
    expect(await repository.sources()).toEqual(['01.png', '03.png', 'guard.png']);
    expect(await repository.files('signed')).toEqual(['01.json', '03.json', 'guard.json', 'skins.lock']);
    expect(repository.paid).toEqual([3, 0]);
  },
);

/** A name in another case comes to the action below. */
const NAMES = [
  ['case', 'Guard', 'guard'],
  ['composed characters', 'Ga\u0308rtner', 'G\u00e4rtner'],
] as const;

test.each(sampled(NAMES, 2, 1))(
  'A name that changes only in %s is the same source for the workflow',
  async (_, before, after) => {
    const repository = await Repository.make();
    await repository.shop.draw({ [`examples/${before}`]: 1, 'examples/other': 2 });
    await repository.push();
    await repository.run('push');
    await repository.pull();
    const log = await repository.log();
    await repository.move(`examples/${before}.png`, `examples/${after}.png`);
    await repository.push();
    expect((await repository.run('pull_request')).output).toMatch(/^2 sources: 2 in the lockfile\./m);
    expect((await repository.run('push')).output).toMatch(/^2 sources: up to date\.$/m);
    expect(await repository.log()).toEqual([...log, 'Draw skins']);
    await repository.pull();
    await repository.shop.draw({ [`examples/${after}`]: 3 });
    await repository.push();
    await repository.run('push');
    expect(await repository.lock()).toHaveLength(2);
    expect(await repository.files('signed')).toHaveLength(3);
    expect(repository.paid).toEqual([3, 0]);
  },
);

/** Someone pushes while skins are made, and another one just when the workflow pushes. @returns what the first one does */
async function race(repository: Repository): Promise<string> {
  await repository.shop.write('notes.md', 'Read me.');
  await repository.git('add', '.');
  await repository.hook(
    'pre-receive',
    `if [ ! -e raced ] && [ -n "$(git log --format=%s -1 --grep=Sign "$(cut -d' ' -f2)")" ] && [ "$(git log --format=%s -1 main)" = "Write notes" ]; then
touch raced; unset GIT_QUARANTINE_PATH
other=$(git -c user.name=t -c user.email=t@localhost commit-tree -m Race -p main "main^{tree}") && git update-ref refs/heads/main "$other"; fi`,
  );
  return 'git -c user.name=t -c user.email=t@localhost commit -qm "Write notes" && git push -q';
}

// In this test and the next two: the same happens to the action below, whose work is committed by the same step.
testWhole(
  'The workflow keeps what it made where main moves meanwhile, even if it loses the race to push',
  async () => {
    const repository = await signed(2);
    await repository.shop.drawMany('examples/more', 3, 50);
    await repository.push();
    const meanwhile = await race(repository);
    const { statuses, output } = await repository.run('push', { meanwhile });
    expect([statuses, output]).toEqual([[undefined, 0, 0], expect.stringContaining('rejected')]);
    expect(await repository.log()).toEqual([
      ...['Begin', 'Draw skins', 'Sign skins', 'Draw skins', 'Write notes', 'Race', 'Sign skins'],
    ]);
    expect([(await repository.lock()).length, repository.paid]).toEqual([5, [5, 0]]);
  },
);

const FORGET_SECRET =
  'git rm -q --cached secret.txt && git -c user.name=t -c user.email=t@localhost commit -q --amend -m "Draw skins" && git push -q --force';

testWhole(
  'The workflow keeps what it made where main is force-pushed meanwhile, and nothing else of the old main',
  async () => {
    const repository = await signed(2);
    const { shop } = repository;
    await shop.drawMany('examples/more', 3, 50);
    await shop.write('secret.txt', 'oops');
    await repository.push('Draw skins, and leak a secret');
    const meanwhile = FORGET_SECRET;
    expect((await repository.run('push', { meanwhile })).statuses).toEqual([undefined, 0, 0]);
    expect(await repository.log()).toEqual(['Begin', 'Draw skins', 'Sign skins', 'Draw skins', 'Sign skins']);
    expect([(await repository.lock()).length, repository.paid]).toEqual([5, [5, 0]]);
  },
);

testWhole('The workflow commits what it made before an outage, and the next run makes the rest', async () => {
  const repository = await Repository.make();
  const { shop } = repository;
  await shop.drawMany('examples', 12);
  await repository.push();
  const end = failAfter(repository, 4);
  const first = await repository.run('push', { timeout: '2s' });
  expect(first.statuses).toEqual([undefined, 75, 0]);
  const before = (await repository.lock()).length;
  expect(before).toBeGreaterThan(0);
  end();
  const second = await repository.run('push');
  expect(second.statuses).toEqual([undefined, 0, 0]);
  expect(await repository.lock()).toHaveLength(12);
  // What was in the queue then is submitted again by the new machine, but not generated again.
  const [, existing = '0'] = /(\d+) already at the service/.exec(second.output) ?? [];
  expect(repository.paid[0] - Number(existing)).toBe(12);
});

/** As many as there are players on a large server, and more than a service lists at once. */
const MANY = 1_200;

// The first test has two runs with a limit, the action some of more skins than a service takes at once.
testWhole(`The workflow and the action make ${MANY} skins in a run each, none of them twice`, async () => {
  const repository = await Repository.make({ serviceTime: 5, workers: 20, limit: 20 });
  const { shop } = repository;
  for (let n = 1; n <= MANY; n++) await shop.draw({ [`examples/${n}`]: n });
  await repository.push();
  const half = MANY / 2;
  const { statuses, outputs } = await repository.run('push', { maxNew: half });
  expect([statuses, outputs]).toEqual([[undefined, 0, 0], expect.stringContaining(`left=${half}\n`)]);
  const second = await repository.act('push', { maxNew: half });
  expect(second).toMatchObject({ status: 0, committed: 0, outputs: { made: String(half), left: '0' } });
  expect([(await repository.lock()).length, repository.paid]).toEqual([MANY, [MANY, 0]]);
});

/** The service is away once it has shown so many textures. @returns what ends that */
function failAfter({ service }: Repository, textures: number): () => void {
  let answers = 0;
  const unwatch = service.watch((moment, kind) => {
    if (moment === 'answered' && kind === 'texture' && ++answers === textures)
      service.faults = () => ({ kind: 'unavailable' });
  });
  return () => {
    unwatch();
    service.faults = undefined;
  };
}

test('The action does the same as the workflow in its own steps, except for the commit', async () => {
  const repository = await Repository.make();
  const { shop } = repository;
  const passes = { status: 0, committed: undefined };
  const commits = { status: 0, committed: 0 };
  const draws = async (...skins: readonly [string, number][]) => {
    await shop.draw(Object.fromEntries(skins));
    await repository.push();
  };
  await shop.write('.gitattributes', 'skins.lock merge=union\n');
  await draws(['examples/01', 1], ['examples/02', 2], ['examples/03', 3]);
  expect(await repository.act('push')).toMatchObject({ ...commits, outputs: { made: '3', left: '0' } });
  await repository.pull();

  await shop.drawMany('examples/more', 20, 50);
  await repository.push();
  const request = await repository.act('pull_request');
  expect(request).toMatchObject({ ...passes, outputs: { made: '0', left: '20', changed: 'false' } });
  expect(request.output).toContain('::notice title=skinsmith%3A new::23 sources: 3 in the lockfile, 20');
  expect(await repository.act('push')).toMatchObject({ ...commits, outputs: { made: '20', left: '0' } });
  await repository.pull();

  await repository.remove('examples/01.png');
  await repository.move('examples/02.png', 'examples/guard.png');
  await repository.push();
  const dropping = await repository.act('pull_request');
  expect(dropping).toMatchObject(passes);
  expect(dropping.output).toMatch(/^gone: examples\/01\.png$/m);
  expect(dropping.output).toMatch(/^renamed: examples\/02\.png to examples\/guard\.png$/m);
  const dropped = await repository.act('push');
  expect(dropped).toMatchObject({ ...commits, outputs: { made: '0', left: '0', changed: 'true' } });
  expect(dropped.output).toContain('Dropped examples/01.png from the lockfile; deleted signed/01.json.');
  expect(dropped.output).toContain('Renamed examples/02.png to examples/guard.png in the lockfile');
  await repository.pull();

  await repository.move('examples/guard.png', 'examples/Guard.png');
  await repository.push();
  expect(await repository.act('push')).toMatchObject({
    ...commits,
    outputs: { made: '0', changed: 'false' },
  });
  expect((await repository.lock()).length).toBe(22);

  await branches(repository, ['merge', '--quiet', 'two']);
  await repository.git('push', '--quiet');
  expect(await repository.act('push')).toMatchObject({ ...commits, outputs: { made: '0', left: '0' } });
  await draws(['examples/e', 21]);
  const raced = await repository.act('push', { meanwhile: await race(repository) });
  expect(raced).toMatchObject({ ...commits, outputs: { made: '1' } });
  expect((await repository.log()).slice(-3)).toEqual(['Write notes', 'Race', 'Sign skins']);
  await repository.pull();

  await shop.write('secret.txt', 'oops');
  await draws(['examples/f', 22]);
  const forced = await repository.act('push', { meanwhile: FORGET_SECRET });
  expect(forced).toMatchObject({ ...commits, outputs: { made: '1' } });
  expect(await repository.files('.')).not.toContain('secret.txt');
  await repository.git('reset', '--quiet', '--hard', 'origin/main');
  await repository.pull();

  await shop.drawMany('examples/last', 8, 80);
  await repository.push();
  const end = failAfter(repository, 4);
  const away = await repository.act('push', { timeout: '2s' });
  expect(away).toMatchObject({ status: 75, committed: 0 });
  end();
  const rest = await repository.act('push');
  expect(rest).toMatchObject({ ...commits, outputs: { left: '0' } });
  expect(await repository.lock()).toHaveLength(34);
  // What was in the queue then is submitted again by the new machine, but not generated again.
  const [, existing = '0'] = /(\d+) already at the service/.exec(rest.output) ?? [];
  expect(repository.paid[0] - Number(existing)).toBe(35);
});

/** Two branches of which each adds a skin, whose lines are neighbours, and what git does when they are merged. */
async function branches(repository: Repository, onMerge: readonly string[]): Promise<Repository> {
  const { shop } = repository;
  for (const [branch, stem, number] of [
    ['one', 'b', 11],
    ['two', 'c', 12],
  ] as const) {
    await repository.git('switch', '--quiet', '--create', branch, 'main');
    await shop.draw({ [`examples/${stem}`]: number });
    await shop.run('generate', 'examples', '--out', 'signed');
    await repository.git('add', '--all');
    await repository.git(...AUTHOR, 'commit', '--quiet', '--message', `Draw ${stem}`);
  }
  await repository.git('switch', '--quiet', 'main');
  await repository.git('merge', '--quiet', 'one');
  const merge = await execa('git', [...AUTHOR, ...onMerge], { cwd: shop.folder, reject: false });
  expect(await shop.read('signed/skins.lock')).toContain('"source":"../examples/c.png"');
  if (merge.exitCode !== 0) await shop.run('generate', 'examples', '--out', 'signed');
  return repository;
}

test('A new lockfile in a git work tree comes with a line for .gitattributes that lets two branches merge', async () => {
  const repository = await Repository.make();
  const { shop } = repository;
  await shop.draw({ 'examples/a': 1, 'examples/d': 2 });
  const first = await shop.run('generate', 'examples', '--out', 'signed');
  const [, line = ''] = /unless \.gitattributes has this line: (.*)$/m.exec(first.stderr) ?? [];
  await shop.write('.gitattributes', `${line}\n`);
  await repository.push();
  await branches(repository, ['merge', '--quiet', 'two']);
  await repository.git('push', '--quiet');
  expect((await repository.run('pull_request')).output).toMatch(/^4 sources: 4 in the lockfile/m);
  expect((await repository.run('push')).statuses).toEqual([undefined, 0, 0]);
  expect(await repository.sources()).toEqual(['a.png', 'b.png', 'c.png', 'd.png']);
  expect(repository.paid).toEqual([4, 0]);
  const again = await shop.run('generate', 'examples', '--out', 'elsewhere', '--lock', 'skins.lock');
  expect(again.stderr).not.toContain('.gitattributes');
});

test.each(sampled(['merge', 'diff3'], 2, 1))(
  'generate keeps both sides of a conflict in the lockfile in the style %s',
  async (style) => {
    const repository = await Repository.make();
    const { shop } = repository;
    await shop.draw({ 'examples/a': 1, 'examples/d': 2 });
    await shop.run('generate', 'examples', '--out', 'signed');
    await repository.push();
    await branches(repository, ['-c', `merge.conflictStyle=${style}`, 'merge', '--quiet', 'two']);
    expect((await shop.lock('signed/skins.lock')).map(({ source }) => source)).toEqual(
      ['a', 'b', 'c', 'd'].map((stem) => `../examples/${stem}.png`),
    );
    expect(repository.paid).toEqual([4, 0]);
  },
);

test('generate keeps the one of two lines for a source that has the pixels of the picture', async () => {
  const repository = await Repository.make();
  const { shop } = repository;
  await shop.draw({ 'examples/a': 1, 'examples/d': 2 });
  await shop.run('generate', 'examples', '--out', 'signed');
  const before = await shop.read('signed/skins.lock');
  await shop.draw({ 'examples/a': 3 });
  await shop.run('generate', 'examples', '--out', 'signed');
  const after = await shop.read('signed/skins.lock');
  await shop.write('signed/skins.lock', after + before);
  await shop.run('generate', 'examples', '--out', 'signed');
  expect(await shop.read('signed/skins.lock')).toBe(after);
  expect(repository.paid).toEqual([3, 0]);
});

const ENDS = [
  ['a wrong key', { SKINSMITH_API_KEY: 'wrong' }, 4, 'invalid_api_key'],
  ['a service that is away', { SKINSMITH_BASE_URL: NOWHERE }, 75, 'unreachable'],
] as const;

test.each(sampled(ENDS, 2))(
  'A run with %s says so in the annotations, the summary and the outputs, and creates nothing',
  async (_, env, status, code) => {
    const repository = await Repository.make();
    await repository.shop.drawMany('examples', 3);
    await repository.push();
    const { statuses, output, summary, outputs } = await repository.run('push', { env });
    expect(statuses).toEqual([undefined, status, 0]);
    expect(output).toContain(`::error title=skinsmith%3A ${code}::`);
    expect(summary).toMatch(/^### skinsmith\n\n\S/);
    expect(outputs).toMatch(/^made=0\nleft=[1-3]\n$/);
    expect(await repository.log()).toEqual(['Begin', 'Draw skins']);
  },
);
