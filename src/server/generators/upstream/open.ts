import { AWAKE, type Clock } from '../../../base/clock.ts';
import { openSender, type Proxies } from '../../../base/proxies.ts';
import { classifyFailure, InsecureHttpError } from '../../../client/errors.ts';
import { SkinClient } from '../../../client/skin-client.ts';
import type { RequestDispatcher } from '../../../client/transport.ts';
import { Session } from '../../../dispatch/session.ts';
import type { GuardedAgent } from '../../outbound/guarded-agent.ts';
import { type Holders, holdersHere, type NodeName } from '../../queue/leases.ts';
import type { Db } from '../../store/db.ts';
import { GenerationPostponed, type OpenGenerator } from '../port.ts';
import { Availability, Contact, UpstreamKeyError, type UpstreamSettings } from './contact.ts';
import { RecentIds, StoredJobs, UpstreamJobs, type UpstreamWork } from './jobs.ts';
import { pixelsIn, Results, UpstreamTextures } from './results.ts';
import { Submitting } from './submitting.ts';
import { Upstream, upstreamHealth } from './upstream.ts';

/** Milliseconds that the start waits for the service. Without it, the start continues and jobs wait. */
const START_LIMIT = 5_000;
/** Longest pause between two lists of our jobs, in milliseconds. */
const LONGEST_PAUSE = 5_000;
/** Callers wait for the skins, so that jobs of which the service knows nothing are submitted again soon, milliseconds. */
const DATA_PATIENCE = 10_000;
/** How many jobs to remember as this process's own. */
const KEPT = 1_000;
const NO_CAPES =
  "Another service makes the skins here and does not know this service's capes. Leave out the cape.";

export interface OpenUpstreamOptions {
  readonly upstream: UpstreamSettings | undefined;
  readonly clock: Clock;
  /** From 0 to 1; default: Math.random. */
  readonly random?: (() => number) | undefined;
  /** Connects to the service; default: through the proxies. */
  readonly dispatcher?: RequestDispatcher | undefined;
  readonly proxies?: Proxies | undefined;
  readonly db: Db;
  readonly self: NodeName;
  /** Tells which senders are gone; default: the process table of this machine. */
  readonly holders?: Holders | undefined;
  /** The guarded agent for textures at addresses that the other service names. */
  readonly pictures: GuardedAgent;
  /** Tells workers that the reason for a pause is gone. */
  readonly wake: () => void;
  readonly warn: (message: string) => void;
  /** Called with bugs. */
  readonly onError: (error: unknown) => void;
}

/**
 * The generator `upstream`: another service makes the skins, with one key for all callers.
 * @throws UpstreamKeyError; InsecureHttpError; TypeError if the address is invalid
 */
export async function openUpstream(context: OpenUpstreamOptions): Promise<OpenGenerator> {
  const { upstream: settings, db } = context;
  if (!settings) throw new TypeError('The generator "upstream" needs the service that makes the skins.');
  const sender = context.proxies && (await openSender(context.proxies));
  const { url: baseUrl, apiKey, insecureHttp, timeout } = settings;
  const { clock, dispatcher = sender } = context;
  const client = new SkinClient({ baseUrl, apiKey, insecureHttp, timeout, clock, dispatcher });
  const target: Target = { client, settings };
  const parts = makeParts(context, target);
  const { session, availability, contact, jobs, textures, stop } = parts;
  const close = async () => {
    stop.abort(AWAKE);
    await session.settled();
    await Promise.all([client.close(), textures.close()]);
    await sender?.close();
  };
  try {
    await meet(contact, availability);
  } catch (error) {
    await close();
    throw error;
  }
  session.slotLimit.announced = contact.slots;
  jobs.start();
  if (availability.isDown) jobs.lookSoon(); // notices when it responds again
  const upstream = new Upstream({ ...parts, db });
  return { workers: contact.slots, close, generator: generatorOf(upstream, parts, target) };
}

function generatorOf(
  upstream: Upstream,
  { session, availability, others, contact }: ReturnType<typeof makeParts>,
  target: Target,
): OpenGenerator['generator'] {
  return {
    signer: async () => `upstream:${target.client.baseUrl}`,
    generate: async (texture, signal) => await upstream.generate(texture, signal),
    settled: async (identity) => await upstream.settled(identity),
    bounds: () => ({
      processing: Math.max(0, session.slotLimit.at(session.now()) - others.foreignJobs),
      onePerIdentity: true,
    }),
    pause: () => availability.wait(),
    isReady: () => !availability.isDown,
    trust: async () => contact.trust,
    health: async (signal) => await upstreamHealth({ ...target, availability, others }, signal),
    refusesCapes: NO_CAPES,
  };
}

/** Fails at once if the key is refused or must not be sent; a service that does not answer may do so later. */
async function meet(contact: Contact, availability: Availability): Promise<void> {
  try {
    await contact.facts(AbortSignal.timeout(START_LIMIT));
  } catch (error) {
    const { name } = contact;
    if (error instanceof InsecureHttpError) throw error;
    if (classifyFailure(error)?.kind === 'key_refused') throw new UpstreamKeyError(name, error);
    availability.unreachable(error);
  }
}

interface Target {
  readonly client: SkinClient;
  readonly settings: UpstreamSettings;
}

function makeParts(context: OpenUpstreamOptions, { client, settings }: Target) {
  const { clock, random = Math.random, db, self, holders = holdersHere(self), wake, warn, onError } = context;
  const { dispatcher, proxies, pictures } = context;
  const stop = new AbortController();
  const own = new RecentIds(KEPT);
  const session = makeSession(context, { client, own, availability: () => availability });
  const name = `The service that makes the skins, ${client.baseUrl},`;
  const onDown = () => jobs.giveUp(availability.postponed());
  const availability = new Availability({ session, wake, warn, name, onDown });
  const others = new StoredJobs({ db, slots: session.slots, isOwn: (id) => own.has(id) });
  const textures = new UpstreamTextures({ client, dispatcher, proxies, pictures, clock, random });
  const texturePixels = async (url: string) => pixelsIn(await textures.read(url, stop.signal)) ?? '';
  const watching = { session, availability, others, own, texturePixels, wake, onError, stop: stop.signal };
  const jobs = new UpstreamJobs(watching);
  const submitting = new Submitting({
    ...{ session, settings, db, self, holders, availability, others, jobs },
  });
  const contact = new Contact(client, settings);
  const results = new Results({ session, db, contact, textures });
  return { session, availability, others, contact, jobs, submitting, textures, results, stop };
}

/** Waits for the service without a limit: jobs are kept, and more may come in the meantime. */
function makeSession(
  { clock, random = Math.random, onError }: Pick<OpenUpstreamOptions, 'clock' | 'random' | 'onError'>,
  { client, own, availability }: { client: SkinClient; own: RecentIds; availability: () => Availability },
): Session<UpstreamWork> {
  return new Session({
    client,
    clock,
    random,
    submissions: {
      isOwnJob: (id) => own.has(id),
      idempotencyKey: ({ idempotencyKey }) => idempotencyKey,
    },
    longestLookPause: LONGEST_PAUSE,
    dataPatience: DATA_PATIENCE,
    patience: { firstContact: Number.POSITIVE_INFINITY, outage: Number.POSITIVE_INFINITY },
    onWaiting: (reason, message) =>
      reason === 'limit' ? availability().limited() : availability().failed(message),
    onPassed: () => availability().passed(),
    // If the texture cannot be read now, the worker reads it again later.
    onFatal: (error) => {
      if (!(error instanceof GenerationPostponed)) onError(error);
    },
    onTaskEnd: () => {},
  });
}
