import { type Machine, PROGRAM } from './machine.ts';
import { eachLine, type Service } from './services.ts';

/** The course of a batch, from the program's messages about its requests and results. */
export interface Watched {
  /** From the first submission to the last result. */
  readonly milliseconds: number;
  /** All requests except those for textures, which the hosted service has on another host. */
  readonly requests: number;
  /** Requests for the list of jobs. */
  readonly lists: number;
  /** Requests answered with a 429. */
  readonly refusals: number;
}

interface Folders {
  readonly skins: string;
  readonly out: string;
  /** Expected skins. */
  readonly count: number;
}

/** Runs a batch to its end. @throws Error when a skin is missing */
export async function watchBatch(
  machine: Machine,
  { env }: Service,
  { skins, out, count }: Folders,
): Promise<Watched> {
  const args = ['generate', skins, '--out', out, '--ndjson', '--verbose'];
  const child = machine.start([PROGRAM, ...args], { env, buffer: false });
  let [results, first, last] = [0, Number.POSITIVE_INFINITY, Number.NaN];
  const requests: Request[] = [];
  eachLine(child, 'stdout', () => {
    results++;
    last = performance.now();
  });
  eachLine(child, 'stderr', (line) => {
    const request = readRequest(line);
    if (!request || request.path.startsWith('/textures/')) return;
    requests.push(request);
    if (request.method === 'POST') first = Math.min(first, performance.now() - request.milliseconds);
  });
  await child;
  if (results !== count) throw new Error(`${results} of ${count} skins arrived.`);
  const lists = requests.filter(({ method, path }) => method === 'GET' && /^\/v2\/queue(\?|$)/.test(path));
  const refusals = requests.filter(({ status }) => status === 429);
  return {
    milliseconds: last - first,
    requests: requests.length,
    lists: lists.length,
    refusals: refusals.length,
  };
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
}

/** `POST /v2/queue 202 12 ms` */
function readRequest(line: string): Request | undefined {
  const [, method = '', path = '', status, milliseconds] =
    /^([A-Z]+) (\S+) (?:(\d{3}) )?.*?(\d+) ms$/.exec(line) ?? [];
  if (milliseconds === undefined) return undefined;
  return { method, path, status: Number(status), milliseconds: Number(milliseconds) };
}
