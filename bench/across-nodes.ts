/** P13: how soon a client of one node learns of a skin that another node has made. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../test/support/postgres/server.ts';
import { Machine, removeAtExit } from './machine.ts';
import { type Service, startOwn } from './services.ts';
import { writePatterns } from './skins.ts';
import { submit } from './submitting.ts';
import { difference, percentile, type Row } from './table.ts';

const SKINS = 200;

export async function acrossNodesRows(): Promise<Row[]> {
  return await Machine.with(async (machine) => {
    await machine.reset();
    const postgres = await startPostgres({ synchronous_commit: 'on', autovacuum: 'on' }, removeAtExit);
    const store = postgres.urlOf('postgres');
    const maker = await startOwn(machine, { pace: 0, workers: 1, store });
    const other = await startOwn(machine, { pace: 0, workers: 0, store });
    try {
      const env = { ...maker.env, SKINSMITH_BASE_URL: other.url };
      const delays = await measure(machine, maker, { ...other, env });
      const work = "from a skin's end to its event on another node, 99 of 100";
      return [difference('P13', [work], { measured: percentile(delays, 99), limit: 100 })];
    } finally {
      await Promise.all([maker.close(), other.close()]);
      await postgres.stop();
    }
  });
}

/** Milliseconds between the events of the node that made a skin and of the other one, for each skin. */
async function measure(machine: Machine, maker: Service, other: Service): Promise<number[]> {
  const [here, there] = [await Ends.of(maker), await Ends.of(other)];
  const folder = join(machine.folder, 'skins');
  const delays: number[] = [];
  for (const name of writePatterns(folder, SKINS)) {
    const { id } = await submit(other, readFileSync(join(folder, name)));
    const [made, heard] = await Promise.all([here.at(id), there.at(id)]);
    delays.push(Math.max(0, heard - made));
  }
  here.close();
  there.close();
  return delays;
}

/** The ends of jobs in the events of one node. */
export class Ends {
  readonly #ends = new Map<string, PromiseWithResolvers<number>>();
  readonly #stop = new AbortController();

  static async of({ url, env }: Service): Promise<Ends> {
    const ends = new Ends();
    const headers = { authorization: `Bearer ${env['SKINSMITH_API_KEY']}` };
    const { body } = await fetch(`${url}/v2/queue/events`, { headers, signal: ends.#stop.signal });
    void ends.#read(body!).catch((error: unknown) => {
      if (!ends.#stop.signal.aborted) throw error;
    });
    return ends;
  }

  /** When the event of this job's end arrived. */
  async at(id: string): Promise<number> {
    return await this.#end(id).promise;
  }

  close(): void {
    this.#stop.abort();
  }

  #end(id: string): PromiseWithResolvers<number> {
    const end = this.#ends.get(id) ?? Promise.withResolvers<number>();
    this.#ends.set(id, end);
    return end;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = '';
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const now = performance.now();
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const { job } = line.startsWith('data: ') ? JSON.parse(line.slice('data: '.length)) : {};
        if (job?.status === 'completed') this.#end(job.id).resolve(now);
      }
    }
  }
}
