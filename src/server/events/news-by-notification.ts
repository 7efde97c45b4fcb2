import { z } from 'zod';
import { LONGEST_NOTIFICATION, type Notifier } from '../store/open-store.ts';
import type { JobName } from './job-signals.ts';
import type { JobNews, NewsExchange } from './share-signals.ts';

/** Short, because a text has little room: `[uuid, owner]`. */
const jobSchema = z.tuple([z.string(), z.string()]).transform(([uuid, owner]): JobName => ({ uuid, owner }));
const newsSchema = z.object({
  accepted: z.array(z.string()).default([]),
  begun: z.array(jobSchema).default([]),
  finished: z.array(jobSchema).default([]),
  withoutWork: z.boolean().optional(),
});

type Entry = readonly ['accepted', string] | readonly ['begun' | 'finished', readonly [string, string]];

/** Lets processes that share only a store tell each other of their jobs. */
export function newsByNotification(notifier: Notifier): NewsExchange {
  return {
    tell: (news) => {
      for (const text of textsOf(news)) notifier.notify(text);
    },
    onNews: (listener) =>
      notifier.onNotification((text) => {
        const news = newsOf(text);
        if (news) listener(news);
      }),
  };
}

/** Undefined: another version of the program says what this one does not understand. The store has it all. */
function newsOf(text: string): JobNews | undefined {
  try {
    return newsSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The news in as many texts as they need. */
function* textsOf({ accepted, begun, finished, withoutWork }: JobNews): Generator<string> {
  const entries: Entry[] = [
    ...accepted.map((owner) => ['accepted', owner] as const),
    ...begun.map(({ uuid, owner }) => ['begun', [uuid, owner]] as const),
    ...finished.map(({ uuid, owner }) => ['finished', [uuid, owner]] as const),
  ];
  let part = noNews();
  let size = 0;
  for (const [kind, what] of entries) {
    const bytes = Buffer.byteLength(JSON.stringify(what)) + 1;
    if (size + bytes > ROOM) {
      yield JSON.stringify({ ...part, withoutWork });
      [part, size] = [noNews(), 0];
    }
    part[kind].push(what);
    size += bytes;
  }
  if (size > 0) yield JSON.stringify({ ...part, withoutWork });
}

function noNews(): Record<Entry[0], Entry[1][]> {
  return { accepted: [], begun: [], finished: [] };
}

/** Bytes of a text, without the names of its parts. */
const ROOM = LONGEST_NOTIFICATION - 100;
