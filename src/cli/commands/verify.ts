import type { KeyObject } from 'node:crypto';
import type { Command } from 'commander';
import { lookAt } from '../../batch/plan/picture-files.ts';
import { isBad, type Verdict, verifySkin } from '../../batch/proof/verify-skin.ts';
import { keyIn } from '../../batch/service/first-contact.ts';
import { type Kept, keptSkins } from '../batch/kept-skins.ts';
import { type Verifiers, verifierClients } from '../batch/verifiers.ts';
import type { Deps } from '../deps.ts';
import { exitStatus } from '../exit.ts';
import { JsonList } from '../output/json-list.ts';
import { type Colors, clean, colorsFor, tabRows } from '../output/text.ts';
import { readBounded } from '../read-input.ts';
import type { Runner } from '../runner.ts';

export interface VerifyOptions {
  readonly files: readonly string[];
  readonly key?: string;
  readonly offline?: boolean;
}

export function register(command: Command, runner: Runner, run = runVerify): void {
  command
    .description(
      'Proves skin data that is kept in files: that each value parses, is signed by the key of the service that made ' +
        'it or by the game, names a texture with the pixels of its source, and that the source is still the same picture. ' +
        'Exit status 1 if anything is wrong.',
    )
    .argument('<file...>', 'lockfiles (skins.lock), or JSON as generate writes it')
    .option('--key <file>', 'the public key that must have signed (PEM)')
    .option('--offline', 'ask no service and fetch no texture')
    .action(
      async (files: string[], typed: Omit<VerifyOptions, 'files'>) =>
        await runner(async (deps) => await run({ ...typed, files }, deps)),
    );
}

export async function runVerify({ files, key, offline = false }: VerifyOptions, deps: Deps): Promise<number> {
  const { io, flags } = deps;
  const given =
    key === undefined ? undefined : keyIn(Buffer.from(await readBounded(key)).toString('utf8'), key);
  const verifiers = await verifierClients({ deps, isOffline: offline });
  const list = flags.json ? new JsonList(io.out) : undefined;
  const colors = await colorsFor(io.out);
  const tally = { all: 0, bad: 0, unsigned: 0 };
  try {
    for (const file of files) {
      for await (const kept of keptSkins(file)) {
        const verdict = await verifyOne(kept, given, verifiers);
        if (list) list.add(verdict, tally.all);
        else if (!io.out.isTTY) io.out.write(verdictRow(verdict));
        else if (isBad(verdict)) io.out.write(verdictText(verdict, colors));
        tally.all++;
        if (isBad(verdict)) tally.bad++;
        if (verdict.signature === 'unknown') tally.unsigned++;
      }
    }
    list?.end();
  } finally {
    await verifiers.close();
  }
  deps.talk.say(endText(tally));
  return exitStatus(tally.bad > 0 ? 'failed' : 'done');
}

async function verifyOne(kept: Kept, given: KeyObject | undefined, verifiers: Verifiers): Promise<Verdict> {
  const publicKey = given ?? (await verifiers.keyOf(kept.service));
  const look =
    kept.path === undefined ? undefined : lookAt({ kind: 'file', path: kept.path }, 'auto', undefined);
  const sourcePixels = look && 'pixels' in look ? look.pixels : undefined;
  const gameKeys = given ? undefined : verifiers.gameKeys;
  return await verifySkin(kept, { publicKey, gameKeys, texture: verifiers.texture, sourcePixels });
}

/** `source, good|bad, signature, pixels, picture, what is wrong`. */
function verdictRow(verdict: Verdict): string {
  const { source, signature, pixels, picture, problems } = verdict;
  return tabRows([[source, isBad(verdict) ? 'bad' : 'good', signature, pixels, picture, problems.join(' ')]]);
}

function verdictText({ source, problems }: Verdict, colors: Colors): string {
  const lines = problems.map((problem) => `  ${clean(problem)}`);
  return `${[`${colors.bad('✖')} ${colors.strong(clean(source))}`, ...lines].join('\n')}\n`;
}

function endText({ all, bad, unsigned }: { all: number; bad: number; unsigned: number }): string {
  const skins = all === 1 ? '1 skin' : `${all} skins`;
  const found = bad === 0 ? 'nothing wrong' : `${bad} wrong`;
  const rest =
    unsigned === 0 ? '' : `; of ${unsigned} the key that should have signed is not known (--key FILE)`;
  return `${skins}: ${found}${rest}.`;
}
