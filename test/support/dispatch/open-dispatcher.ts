import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { Dispatcher, type KnownService } from '../../../src/dispatch/dispatcher.ts';
import { RetryingReader } from '../../../src/dispatch/session.ts';
import type { HostedOptions } from '../../../src/double/hosted/options.ts';
import { openInMemory } from '../hosted/memory-client.ts';
import { ownFolder } from '../server/own-folder.ts';
import { type NumberedWork, openSession, pixelReading, requestOf } from './numbered-work.ts';

export interface DispatcherSetUp extends HostedOptions {
  readonly maxNew?: number;
  readonly follows?: boolean;
  /** Whether the service streams events. */
  readonly isSkinsmith?: boolean;
  readonly knownService?: KnownService;
  /** Whether processes of the caller share its queue. */
  readonly isShared?: boolean;
  /** Another dispatcher with the same key on the same machine. */
  readonly beside?: InMemory & { readonly shareFolder: string | undefined };
}

type InMemory = Awaited<ReturnType<typeof openInMemory>>;

/** A dispatcher that knows the service, and its messages to the user. */
export async function openDispatcher({
  maxNew = Number.POSITIVE_INFINITY,
  follows = true,
  isSkinsmith = false,
  knownService,
  isShared = true,
  beside,
  ...options
}: DispatcherSetUp = {}) {
  const { clock, hosted, client } = beside ?? (await openInMemory(options));
  const shareFolder = isShared ? (beside?.shareFolder ?? join(await ownFolder(), 'shares')) : undefined;
  const told: string[] = [];
  const accepted: number[] = [];
  const [stop, hardStop] = [new AbortController(), new AbortController()];
  const session = openSession({ clock, client });
  const tell = (what: string) => (work: NumberedWork) => void told.push(`${work.number} ${what}`);
  const dispatcher = await Dispatcher.open<NumberedWork>({
    session,
    record: { intent: () => {}, refused: () => {} },
    reader: new RetryingReader(session, hardStop.signal),
    user: {
      ...pixelReading(client),
      prepare: async (work) => (work.number < 0 ? { problem: 'none' } : requestOf(work)),
      attempt: async (_, __, step) => await step(),
      settle: async (work, { job }) => tell(job.status)(work),
      settleForgotten: async (work) => tell('forgotten')(work),
      accepted: ({ number }, { id }) => {
        accepted.push(number);
        session.own.add(id);
      },
      rejected: tell('rejected'),
      unusable: tell('unusable'),
      answerLost: tell('lost'),
      mayRepeat: () => true,
      queueFilledByOthers: (jobs) => void told.push(`${jobs} of others`),
      sharingBroken: (why) => void told.push(why),
    },
    shareFolder,
    known: knownService,
    follows,
    force: false,
    maxNew,
    stop: stop.signal,
    hardStop: hardStop.signal,
  });
  onTestFinished(async () => {
    hardStop.abort();
    await dispatcher.close();
  });
  await clock.until(dispatcher.meet({ slots: undefined, cape: undefined }));
  if (isSkinsmith) session.isSkinsmith = true;
  const events = vi.spyOn(client, 'events').mockImplementation(async function* () {});
  dispatcher.start();
  const pass = async (ms: number) => await clock.until(clock.sleep(ms));
  return { clock, hosted, client, shareFolder, session, dispatcher, told, accepted, stop, pass, events };
}
