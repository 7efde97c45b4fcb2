import type { Command } from 'commander';
import { decodedText } from '../../base/text.ts';
import { inspectSource } from '../../batch/pictures.ts';
import {
  isBad,
  type RequiredSigner,
  type SignerKey,
  type SkinVerdict,
  verifySkin,
} from '../../batch/proof/verify-skin.ts';
import { publicKeyIn } from '../../dispatch/service-facts.ts';
import { keptSkins, type StoredSkin } from '../batch/kept-skins.ts';
import { SignerTally } from '../batch/signers.ts';
import { type Verifiers, verifierClients } from '../batch/verifiers.ts';
import type { CommandContext, Runner } from '../context/context.ts';
import { exitStatus } from '../errors/exit.ts';
import type { Examples } from '../help/help-page.ts';
import { requireSignerOption } from '../options/skin-options.ts';
import { type Columns, type CommandOutput, columnRows, type Fields, JsonList } from '../output/described.ts';
import { type Colors, colorsFor, widthOf } from '../terminal/io.ts';
import { readBounded } from '../terminal/read-input.ts';
import { clean, count, hanging } from '../text/text.ts';

export interface VerifyOptions {
  readonly files: readonly string[];
  readonly key?: string;
  readonly requireSigner?: RequiredSigner;
  readonly offline?: boolean;
}

export const examples: Examples = [
  ['Verify all skins in a lockfile', 'skinsmith verify signed/skins.lock'],
  ['Verify skins without any network access', 'skinsmith verify signed/skins.lock --offline'],
];

const COLUMNS = {
  source: ({ source }) => source,
  verdict: (verdict) => (isBad(verdict) ? 'bad' : 'good'),
  signature: ({ signature }) => signature,
  pixels: ({ pixels }) => pixels,
  picture: ({ picture }) => picture,
  problems: ({ problems }) => problems.join(' '),
  signer: ({ signer }) => signer,
} satisfies Columns<SkinVerdict>;

const FIELDS: Fields<SkinVerdict> = {
  source: 'the source as the file names it',
  value: 'whether the texture value can be parsed: good or bad',
  signature: 'good, bad, or unproved if no known key verifies it',
  signer: 'whose key verifies the signature: game, embedded, the address of a service, or unproved',
  key: 'fingerprint of that key; absent if the game signed',
  pixels: 'the pixels of the texture compared with those of the source: good, bad or unknown',
  picture: 'the source now compared with the one the skin was made from: same, changed or unknown',
  problems: 'what is wrong, in sentences; empty if nothing is',
};

export const output: readonly CommandOutput[] = [
  {
    columns: COLUMNS,
    columnMeanings: { verdict: 'good if nothing is wrong, else bad' },
    json: { shape: 'list', fields: FIELDS },
  },
];

export function register(command: Command, runner: Runner, run = runVerify): void {
  command
    .description(
      'Verify signatures and textures of saved skins.\n' +
        'Checks that each value can be parsed, that its signature was made by the game, by the service ' +
        'that made the skin or by this machine, that its texture has the pixels of the source, and that ' +
        'the source has not changed since. Prints who signed the skins. The exit status is 1 if anything ' +
        'is wrong. A signature that no known key matches counts as unproved, not as wrong, unless ' +
        '--require-signer says who must have signed.',
    )
    .argument(
      '<file...>',
      'lockfiles (skins.lock), JSON files written by generate, files or folders of plugins, or "value signature" itself',
    )
    .option('--key <file>', 'public key that must have signed every skin (PEM)')
    .addOption(requireSignerOption())
    .option('--offline', 'do not contact any service or fetch any texture')
    .action(
      async (files: string[], typed: Omit<VerifyOptions, 'files'>) =>
        await runner(async (context) => await run({ ...typed, files }, context)),
    );
}

export async function runVerify(options: VerifyOptions, context: CommandContext): Promise<number> {
  const { io, flags } = context;
  const verifiers = await verifierClients({ context, isOffline: options.offline ?? false });
  const list = flags.json ? new JsonList(io.out) : undefined;
  const colors = await colorsFor(io.out);
  const tally = { all: 0, bad: 0, unproved: 0, unchecked: 0, signers: new SignerTally(verifiers.own) };
  const progress = await context.messages.progress('Verifying');
  const show = (verdict: SkinVerdict) => {
    if (list) list.add(verdict, tally.all);
    else if (!io.out.isTTY) io.out.write(columnRows(COLUMNS, [verdict]));
    else if (isBad(verdict) || verdict.signature === 'unproved')
      io.out.write(verdictText(verdict, colors, widthOf(io.out)));
  };
  try {
    const given = await readGivenKey(options);
    for (const file of options.files) {
      for await (const kept of keptSkins(file)) {
        context.signal.throwIfAborted();
        const { verdict, isFetched } = await verifyOne(kept, {
          given,
          verifiers,
          required: options.requireSigner,
        });
        await progress.aside(() => show(verdict));
        tally.all++;
        progress.text(`Verifying, ${count(tally.all)} so far`);
        if (isBad(verdict)) tally.bad++;
        if (verdict.signature === 'unproved') tally.unproved++;
        const hasSource = (kept.pixels ?? kept.path) !== undefined;
        if (!isFetched || (verdict.pixels === 'unknown' && hasSource)) tally.unchecked++;
        if (verdict.signature === 'good') tally.signers.add(verdict);
      }
    }
    list?.end();
  } finally {
    progress.stop();
    list?.endEarly();
    await verifiers.close();
  }
  context.messages.say(endText(tally));
  for (const note of verifiers.textures?.notes ?? []) context.messages.say(note);
  return exitStatus(tally.bad > 0 ? 'failed' : 'done');
}

async function readGivenKey({ key }: VerifyOptions): Promise<SignerKey | undefined> {
  if (key === undefined) return undefined;
  const publicKey = publicKeyIn(decodedText(await readBounded(key)), key);
  return { publicKey, service: undefined };
}

interface Against {
  readonly given: SignerKey | undefined;
  readonly verifiers: Verifiers;
  readonly required: RequiredSigner | undefined;
}

/** `isFetched`: false if the texture was wanted and could not be had. */
async function verifyOne(
  kept: StoredSkin,
  { given, verifiers, required }: Against,
): Promise<{ verdict: SkinVerdict; isFetched: boolean }> {
  const sourcePixels = pixelsNow(kept);
  const { gameKeys, own, textures } = verifiers;
  let isFetched = true;
  const fetchTexture = async (url: string) => {
    isFetched = false;
    const bytes = await textures!.texture(url);
    isFetched = true;
    return bytes;
  };
  const texture = textures && fetchTexture;
  const keys = given ? { key: given } : { key: await verifiers.keyOf(kept.service), gameKeys, own };
  const verdict = await verifySkin(kept, { ...keys, required, texture, sourcePixels });
  return { verdict, isFetched };
}

/** The pixels of the source as the skin was made from it, be that with --fit or without. */
function pixelsNow({ path, pixels }: StoredSkin): string | undefined {
  if (path === undefined) return undefined;
  const all = [false, true].map((fit) => inspectSource({ kind: 'file', path, fit }, 'auto', undefined));
  const found = all.flatMap((one) => ('pixels' in one && one.pixels !== undefined ? [one.pixels] : []));
  return found.find((one) => one === pixels) ?? found[0];
}

function verdictText({ source, problems, signature }: SkinVerdict, colors: Colors, width: number): string {
  const mark = problems.length > 0 ? colors.bad('✖') : colors.warn('•');
  const notes = signature === 'unproved' ? ['signature: unproved'] : [];
  const lines = [...problems, ...notes].map((line) => `  ${hanging(clean(line), 2, width)}`);
  return `${[`${mark} ${colors.strong(clean(source))}`, ...lines].join('\n')}\n`;
}

interface Tally {
  readonly all: number;
  readonly bad: number;
  readonly unproved: number;
  /** Skins whose texture was not compared with their source, as it could not be fetched or no network was allowed. */
  readonly unchecked: number;
  readonly signers: SignerTally;
}

function endText({ all, bad, unproved, unchecked, signers }: Tally): string {
  const found = [
    bad > 0 ? `${bad} wrong` : undefined,
    unproved > 0 ? `${unproved} with an unverified signature (no known key matches)` : undefined,
    unchecked > 0 ? `${unchecked} whose texture was not checked` : undefined,
  ].filter(Boolean);
  const skins = all === 1 ? '1 skin' : `${all} skins`;
  const end = `${skins}: ${found.length === 0 ? 'nothing wrong' : found.join(', ')}.`;
  return [end, signers.text].filter(Boolean).join(' ');
}
