import { join } from 'node:path';
import type { BatchSource } from '../../src/batch/model.ts';
import { runBatch } from '../../src/batch/run/run-batch.ts';
import type { HostedOptions } from '../../src/double/hosted/options.ts';
import { openInMemory } from '../support/hosted/memory-client.ts';
import { skinPng } from '../support/server/drawn-skins.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { describeServiceUser } from './service-user.ts';
import type { MakerWorld } from './skin-makers.ts';

async function batchWorld(options?: HostedOptions): Promise<MakerWorld> {
  const stateDir = join(await ownFolder(), 'state');
  const { clock, hosted, client } = await openInMemory(options);
  const make = async (numbers: readonly number[]) => {
    const { made, failed } = await runBatch({
      sources: sources(numbers),
      service: { name: client.baseUrl, caller: client.caller, connect: async () => client },
      stateDir,
      purpose: 'contract',
      clock,
      random: () => 0.5,
    });
    return { made, failed };
  };
  return { clock, hosted, make };
}

async function* sources(numbers: readonly number[]): AsyncGenerator<BatchSource> {
  for (const n of numbers)
    yield { label: `${n}`, stem: `${n}`, content: { kind: 'bytes', bytes: skinPng(n) } };
}

describeServiceUser('A batch', batchWorld);
