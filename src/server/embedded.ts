import { systemClock } from '../base/clock.ts';
import { apiKeyBodySchema, SCOPES } from '../protocol/api-key.ts';
import { rememberedPublicUrl } from './assembly/owner.ts';
import type { ServerOptions } from './assembly/server-options.ts';
import { responseOf } from './http/answers.ts';
import { App } from './http/app.ts';
import { Log } from './http/log.ts';
import type { Carrier, Head } from './http/route.ts';
import { type Adapter, type OpenService, openService, type Parts } from './open-service.ts';
import { REQUEST_LIMITS } from './service/request-limits.ts';
import { makeOwnersKey } from './service/users/keys.ts';
import { inTransaction } from './store/db.ts';

/** Gives the owner a key of this text. */
async function giveKey(
  { db, clock }: Parts['context'],
  owner: Parts['owner'],
  secret: string,
): Promise<void> {
  const key = apiKeyBodySchema.parse({ name: 'double', secret, scopes: SCOPES });
  await inTransaction(db, async (tx) => await makeOwnersKey(tx, owner, key, clock.now()));
}

/** Requests to an app from its own process. Tracks those under way. */
export class InProcessRequests {
  readonly #app: App;
  /** The requests under way, with promises of their ends. Holding them keeps their signals from being collected. */
  readonly #open = new Map<AbortController, { readonly request: Request; readonly end: Promise<void> }>();
  #isClosed = false;

  constructor(app: App) {
    this.#app = app;
  }

  /** Answers a request as `fetch` does: rejected with the reason of its signal, or if the service has ended. */
  async fetch(request: Request): Promise<Response> {
    const { signal } = request;
    signal.throwIfAborted();
    if (this.#isClosed) throw cutOff();
    const gone = new AbortController();
    const leave = () => gone.abort(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const carrier = { ...FREE, hangUp: () => gone.abort(cutOff()) };
    const answered = this.#app.answer(this.#app.open(headOf(request, gone.signal), carrier));
    const taken = answered.then((written) => readable(responseOf(written), gone.signal));
    const over = taken.then(
      async ({ end }) => await end,
      () => {},
    );
    const tracked = over.then(() => {
      signal.removeEventListener('abort', leave);
      this.#open.delete(gone);
      gone.abort();
    });
    this.#open.set(gone, { request, end: tracked });
    return (await unlessAborted(taken, gone.signal)).response;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Accepts no more requests; resolves when those under way have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#open.values(), ({ end }) => end));
  }

  /** Rejects the requests under way. The work that they have started goes on. */
  cutOff(): void {
    for (const gone of this.#open.keys()) gone.abort(cutOff());
  }
}

/** Callers in this process share no connections, and nothing of theirs waits in the network. */
const FREE: Omit<Carrier, 'hangUp'> = {
  admitted: () => {},
  nextTurn: async () => {},
  holdUnread: () => {},
};

/** The address of callers in this process. */
const THIS_MACHINE = '127.0.0.1';

function headOf({ method, url, headers, body }: Request, signal: AbortSignal): Head {
  const origin = { address: THIS_MACHINE, host: THIS_MACHINE };
  return { method, url, headers: Object.fromEntries(headers), ...origin, content: body ?? undefined, signal };
}

/** The error for a request that gets no answer or only part of one, in the form of a network error. */
function cutOff(): Error {
  return Object.assign(new Error('The service has ended the request.'), { code: 'ECONNRESET' });
}

/** An answer that is a stream breaks off when its reader or the service is gone. All other answers are complete. */
function readable(
  response: Response,
  signal: AbortSignal,
): { readonly response: Response; readonly end: Promise<void> } {
  if (response.body === null || response.headers.has('content-length'))
    return { response, end: Promise.resolve() };
  const reader = response.body.getReader();
  const { promise: end, resolve: settle } = Promise.withResolvers<void>();
  const leave = async (reason: unknown) => {
    settle();
    await reader.cancel(reason).catch(() => {}); // nobody reads the rest
  };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const breakOff = () => {
        controller.error(signal.reason);
        void leave(signal.reason);
      };
      if (signal.aborted) breakOff();
      else signal.addEventListener('abort', breakOff, { once: true });
    },
    pull: async (controller) => {
      const { done, value } = await reader.read().catch((error: unknown) => {
        settle();
        throw error;
      });
      if (!done) return controller.enqueue(value);
      controller.close();
      settle();
    },
    cancel: leave,
  });
  return { response: new Response(body, response), end };
}

/** @throws the signal's reason when aborted first */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Options that only matter to a service on the network. */
type NetworkOption =
  | 'host'
  | 'port'
  | 'publicUrl'
  | 'trustProxy'
  | 'networkLimits'
  | 'anonymous'
  | 'logLevel'
  | 'logAddresses'
  | 'openMetrics'
  | 'embedded';

export interface EmbeddedOptions extends Omit<ServerOptions, NetworkOption> {
  /** Root of the addresses in signed textures; default: the one that the store remembers. */
  readonly publicUrl?: string;
  /** Whether to log warnings and errors; default: log nothing. */
  readonly logsWarnings?: boolean;
}

export interface EmbeddedService extends Pick<OpenService<Adapter>, 'close'> {
  /** Answers requests to the service at any host. Requests without a key are the owner's, except in memory. */
  readonly fetch: (request: Request) => Promise<Response>;
}

interface EmbeddedAdapter extends Adapter {
  readonly requests: InProcessRequests;
}

/** Starts the service of `serve` for callers in this process only. It does not listen. */
export async function openEmbeddedService(options: EmbeddedOptions): Promise<EmbeddedService> {
  const { adapter, close } = await openService({ ...options, embedded: true }, async (parts) =>
    openInProcess(options, parts),
  );
  return { fetch: async (request) => await adapter.requests.fetch(request), close };
}

function openInProcess(options: EmbeddedOptions, { context, owner }: Parts): EmbeddedAdapter {
  const { clock = systemClock, logStream = process.stderr, logsWarnings = false, inMemory } = options;
  const level = logsWarnings ? 'warn' : 'silent';
  const log = new Log({ level, stream: logStream, now: () => clock.now() });
  const localUser = !inMemory && { localUser: owner };
  const app = new App({ context, ...localUser, allowsAnonymous: true, limits: REQUEST_LIMITS, log });
  const requests = new InProcessRequests(app);
  return {
    log,
    requests,
    open: async () => {
      if (inMemory) await giveKey(context, owner, inMemory.apiKey);
      const publicUrl = options.publicUrl ?? (await rememberedPublicUrl(context.db));
      return { publicUrl, own: [publicUrl], provable: [] };
    },
    close: async () => await requests.close(),
    cutOff: () => requests.cutOff(),
    countConnections: async () => requests.count,
  };
}
