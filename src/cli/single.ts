import { statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { writeFileAtomically } from '../batch/files/atomic-file.ts';
import { finishedSkin, mergeNotes } from '../batch/finished-skin.ts';
import { lookAt } from '../batch/plan/picture-files.ts';
import { capeTexture } from '../batch/proof/cape-texture.ts';
import { type Expected, proveSkin } from '../batch/proof/proof.ts';
import { isUuid } from '../batch/sources/links.ts';
import { skinNameFrom } from '../batch/sources/sources.ts';
import type { BatchSource, FinishedSkin } from '../batch/types.ts';
import type { SkinSource } from '../index.ts';
import type { BatchCall } from './batch/call.ts';
import { tellFailure } from './batch/failures.ts';
import { sourcesOf } from './batch/sources.ts';
import type { Connection } from './connect.ts';
import type { Deps } from './deps.ts';
import { exitStatus, isInterruption } from './exit.ts';
import { concernsOneSource, connectTelling, tellNotes, tellWhoTrusts } from './outcomes.ts';
import { renderFile } from './output/formats/files.ts';
import { ResultPrinter } from './output/result-printer.ts';
import { type ResultView, resultView, skinFields } from './output/views.ts';
import { tellable } from './told-error.ts';

/** One source: a single request that waits for the skin. No queue to fill, nothing to remember. */
export async function runSingle(call: BatchCall): Promise<number> {
  const { deps, settings, typed } = call;
  const shape = { json: deps.flags.json ?? false, ndjson: typed.ndjson ?? false, isList: false };
  const printer = new ResultPrinter(deps.io, { ...shape, formats: settings.format });
  const isPrinted = typed.out === undefined || shape.json || shape.ndjson;
  const result = await generateOne(call);
  if (isPrinted) await printer.add(result);
  printer.end();
  if (!result.error) await tellWhoTrusts(call);
  return exitStatus(result.error ? 'failed' : 'done');
}

async function generateOne(call: BatchCall): Promise<ResultView> {
  const { deps, settings } = call;
  const { value: source } = await sourcesOf(call)[Symbol.asyncIterator]().next();
  if (!source) throw new Error('A single source is one source.');
  const { label } = source;
  const look = lookAt(source.content, settings.variant ?? 'auto', undefined);
  if ('problem' in look) {
    await tellFailure(label, look.problem, deps);
    return resultView({ source: label, error: look.problem });
  }
  const connection = await connectTelling(settings, deps);
  const progress = await deps.talk.progress(`Generating ${label}`);
  try {
    const cape = await expectedCape(call, connection);
    const options = {
      name: source.name ?? skinNameFrom(source.stem.split('/').at(-1) ?? ''),
      variant: settings.variant === 'auto' ? undefined : settings.variant,
      visibility: settings.visibility,
      cape: call.cape,
    };
    const made = await connection.client.generate(await skinSource(source, look.bytes, deps), options, {
      signal: deps.signal,
    });
    progress.stop();
    const warnings = mergeNotes(look.warnings, made.warnings);
    await tellNotes(warnings, undefined, deps);
    if (made.job !== undefined) await deps.submissions.record(made.job, label);
    const skin = finishedSkin(made.skin);
    // A player's arms are what the player has, whatever was asked for.
    const variant = source.content.kind === 'user' ? 'auto' : (settings.variant ?? 'auto');
    await prove(skin, { pixels: look.pixels, variant, cape }, { call, connection });
    writeOut(call, skin, source);
    return resultView({ source: label, job: made.job, skin, warnings });
  } catch (error) {
    progress.stop();
    return await failed(error, label, call);
  }
}

/** Somebody else's skin is an error, never output. */
async function prove(
  skin: FinishedSkin,
  expected: Expected,
  { call: { deps, typed }, connection: { client } }: { call: BatchCall; connection: Connection },
): Promise<void> {
  const fetch = async (url: string) => await client.texture(url, { signal: deps.signal });
  const texture = typed.verify === false ? undefined : fetch;
  await proveSkin(skin, expected, { publicKey: undefined, texture });
}

/** What is to be held against the skin where a cape goes with it. */
async function expectedCape({ cape, deps }: BatchCall, { client }: Connection): Promise<Expected['cape']> {
  return cape === undefined
    ? undefined
    : { texture: await capeTexture(client, cape, { signal: deps.signal }) };
}

/** What concerns the source is its result; no service, or no right to it, ends the command. */
async function failed(error: unknown, label: string, { deps }: BatchCall): Promise<ResultView> {
  if (isInterruption(error))
    deps.talk.say('What the service has accepted goes on; see it with: skinsmith jobs');
  const told = tellable(error);
  if (!told || !concernsOneSource(error)) throw error;
  await tellFailure(label, told, deps);
  return resultView({ source: label, error: told });
}

async function skinSource(
  { content, stem }: BatchSource,
  bytes: Uint8Array | undefined,
  { game, signal }: Deps,
): Promise<SkinSource> {
  if (content.kind === 'url') return { url: content.url };
  if (content.kind === 'user') {
    const { user } = content;
    return { user: isUuid(user) ? user : await (await game()).players.uuidOf(content, signal) };
  }
  if (!bytes) throw new Error('A picture without bytes.');
  return { file: bytes, fileName: `${stem.split('/').at(-1)}.png` };
}

/** To the very file that was named, whatever its extension. */
function writeOut(
  { typed, settings }: BatchCall,
  skin: Parameters<typeof skinFields>[0],
  { stem }: BatchSource,
): void {
  if (typed.out === undefined) return;
  const [format = 'json'] = settings.format ?? [];
  const { text } = renderFile(format, skinFields(skin), stem);
  const found = statSync(typed.out, { throwIfNoEntry: false });
  // A pipe or a device is written into; a rename would put a file in its place.
  if (found && !found.isFile()) writeFileSync(typed.out, text);
  else writeFileAtomically(resolve(typed.out), text);
}
