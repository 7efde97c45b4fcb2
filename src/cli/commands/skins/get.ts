import type { Command } from 'commander';
import { finishedSkin } from '../../../batch/finished-skin.ts';
import type { Deps } from '../../deps.ts';
import { exitStatus } from '../../exit.ts';
import { connectTelling } from '../../outcomes.ts';
import { jsonDocument } from '../../output/json.ts';
import { ResultPrinter } from '../../output/result-printer.ts';
import { resultView } from '../../output/views.ts';
import type { Runner } from '../../runner.ts';
import { addFormatOption, type TypedOutputOptions } from '../skin-options.ts';
import { verifyUuids } from './uuids.ts';

export interface SkinsGetOptions extends TypedOutputOptions {
  readonly uuids: readonly string[];
}

export function register(command: Command, runner: Runner, run = runSkinsGet): void {
  addFormatOption(
    command
      .description('Prints skins that the service has, with their values and signatures.')
      .argument('<uuid...>', 'UUIDs of skins'),
  ).action(
    async (uuids: string[], typed: TypedOutputOptions) =>
      await runner(async (deps) => await run({ ...typed, uuids }, deps)),
  );
}

export async function runSkinsGet(options: SkinsGetOptions, deps: Deps): Promise<number> {
  verifyUuids(options.uuids);
  const settings = await deps.settings({ format: options.format });
  const formats = settings.format;
  const { client } = await connectTelling(settings, deps);
  const skins = [];
  for (const uuid of options.uuids) skins.push(await client.skin(uuid, { signal: deps.signal }));
  if (deps.flags.json && (formats === undefined || formats.join() === 'json')) {
    // The skin as on the wire: more than a result has.
    const document = options.uuids.length > 1 ? skins : skins[0];
    deps.io.out.write(jsonDocument(document));
    return exitStatus('done');
  }
  const isList = options.uuids.length > 1;
  const printer = new ResultPrinter(deps.io, {
    json: deps.flags.json ?? false,
    ndjson: false,
    formats,
    isList,
  });
  for (const skin of skins)
    await printer.add(resultView({ source: skin.name ?? skin.uuid, skin: finishedSkin(skin) }));
  printer.end();
  return exitStatus('done');
}
