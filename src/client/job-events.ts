import { seenJobAnswerSchema, seenJobListAnswerSchema } from '../protocol/job.ts';
import { parse } from '../protocol/parsing.ts';
import { UnreadableAnswerError } from './errors.ts';
import { EventStreamParser, type ServerSentEvent } from './event-stream.ts';
import { jobState } from './job-state.ts';
import type { JobEvent } from './types.ts';

/** The known event types and how each one's data is parsed. */
const READERS = {
  jobs: (data) => ({ type: 'jobs', jobs: parse(seenJobListAnswerSchema, data).jobs }),
  job: (data) => ({ type: 'job', state: jobState(parse(seenJobAnswerSchema, data)) }),
} as const satisfies { [Type in JobEvent['type']]: (data: unknown) => Extract<JobEvent, { type: Type }> };

/** The events of a stream, without those of unknown types. @throws UnreadableAnswerError */
export async function* readJobEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<JobEvent, void, void> {
  const parser = new EventStreamParser();
  for await (const chunk of chunks) {
    for (const event of parser.push(chunk)) if (isKnown(event.type)) yield readEvent(event.type, event);
  }
}

function isKnown(type: string): type is JobEvent['type'] {
  return Object.hasOwn(READERS, type);
}

function readEvent(type: JobEvent['type'], { data }: ServerSentEvent): JobEvent {
  try {
    return READERS[type](JSON.parse(data));
  } catch (cause) {
    const message = `The service sent an event "${type}" that this program cannot read.`;
    throw new UnreadableAnswerError(message, { status: 200, cause });
  }
}
