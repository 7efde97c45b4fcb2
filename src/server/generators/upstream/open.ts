import type { Clock } from '../../../base/clock.ts';
import { InsecureHttpError } from '../../../client/errors.ts';
import { classifyFailure } from '../../../client/failure.ts';
import { SkinClient } from '../../../client/skin-client.ts';
import type { GuardedAgent } from '../../outbound/guarded-agent.ts';
import type { ProcessName } from '../../queue/lease-owner.ts';
import type { Db } from '../../store/db.ts';
import type { OpenGenerator } from '../port.ts';
import { Contact } from './contact.ts';
import { Gate } from './gate.ts';
import { upstreamHealth } from './health.ts';
import { Losses } from './losses.ts';
import { pixelsIn, textureUrl } from './proof.ts';
import { UpstreamKeyError, type UpstreamSettings } from './settings.ts';
import { UpstreamTextures } from './textures.ts';
import { Upstream } from './upstream.ts';
import { Watcher } from './watcher.ts';

/** Milliseconds that the start waits for the service: without it jobs wait, but the start goes on. */
const START_LIMIT = 5_000;
const NO_CAPES =
  'Skins are made by another service here, which does not know the capes of this one: leave the cape out.';

export interface UpstreamOptions {
  readonly upstream: UpstreamSettings | undefined;
  readonly clock: Clock;
  readonly db: Db;
  readonly self: ProcessName;
  /** The guarded agent, for textures at addresses from the other service. */
  readonly pictures: GuardedAgent;
  /** Tells workers that the reason for a pause is gone. */
  readonly wake: () => void;
  /** Warns the operator. */
  readonly warn: (message: string) => void;
  /** Called with bugs. */
  readonly onError: (error: unknown) => void;
}

/**
 * The generator `upstream`: another service makes the skins, with one key for all callers.
 * @throws UpstreamKeyError; InsecureHttpError; TypeError if the address is invalid
 */
export async function openUpstream(context: UpstreamOptions): Promise<OpenGenerator> {
  const { upstream: settings, clock, db, self, wake, warn, onError } = context;
  if (!settings) throw new TypeError('The generator "upstream" is not told which service makes the skins.');
  const { url: baseUrl, apiKey, insecureHttp, timeout } = settings;
  const client = new SkinClient({ baseUrl, apiKey, insecureHttp, timeout, clock });
  const name = `The service that makes the skins, ${client.baseUrl},`;
  const gate = new Gate({ clock, random: Math.random, wake, warn, name });
  const watcher = new Watcher({ client, gate, db, clock, wake, onError });
  const close = async () => {
    await watcher.stop();
    await client.close();
  };
  const contact = new Contact(client, settings);
  try {
    await meet(contact, gate);
  } catch (error) {
    await close();
    throw error;
  }
  const textures = new UpstreamTextures({ client, pictures: context.pictures, clock, random: Math.random });
  const losses = new Losses({
    client,
    watcher,
    db,
    clock,
    pixelsOf: async ({ texture }, signal) =>
      pixelsIn(await textures.read(await textureUrl(texture.data.value), signal)),
  });
  const upstream = new Upstream({
    client,
    settings,
    db,
    self,
    clock,
    gate,
    watcher,
    losses,
    contact,
    textures,
  });
  watcher.start();
  return {
    workers: contact.spots,
    close,
    generator: {
      signer: async () => `upstream:${client.baseUrl}`,
      generate: async (texture, signal) => await upstream.generate(texture, signal),
      settled: async (identity) => await upstream.settled(identity),
      bounds: () => ({ processing: Math.max(0, contact.spots - watcher.others), onePerIdentity: true }),
      pause: () => gate.wait(),
      isReady: () => !gate.isDown,
      trust: async () => contact.trust,
      health: async (signal) => await upstreamHealth({ client, settings, gate, watcher }, signal),
      refusesCapes: NO_CAPES,
    },
  };
}

/** Fails at once if the key is refused or must not be sent; a service that does not answer may do so later. */
async function meet(contact: Contact, gate: Gate): Promise<void> {
  try {
    await contact.facts(AbortSignal.timeout(START_LIMIT));
  } catch (error) {
    const { name } = contact;
    if (error instanceof InsecureHttpError) throw error;
    if (classifyFailure(error)?.kind === 'key_refused') throw new UpstreamKeyError(name, error);
    gate.down(error);
  }
}
