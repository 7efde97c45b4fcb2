import type { z } from 'zod';
import type { Note, SeenRateLimit } from '../protocol/envelope.ts';
import type { SeenBatchItem } from '../protocol/generate.ts';
import type { seenJobAnswerSchema } from '../protocol/job.ts';
import type { AnswerNotes, JobAnswer, QueuedItem } from './types.ts';

interface SeenNotes {
  readonly warnings?: Note[] | undefined;
  readonly messages?: Note[] | undefined;
  readonly links?: Record<string, string> | undefined;
  readonly rateLimit?: SeenRateLimit | undefined;
}

export function notesOf({ warnings = [], messages = [], links = {}, rateLimit }: SeenNotes): AnswerNotes {
  return { warnings, messages, links, rateLimit };
}

export function jobState(answer: z.output<typeof seenJobAnswerSchema>): JobAnswer {
  return { job: answer.job, skin: answer.skin, errors: answer.errors ?? [], ...notesOf(answer) };
}

export function queuedItem({ success, job, skin, errors = [], warnings = [] }: SeenBatchItem): QueuedItem {
  return { success, job, skin, errors, warnings };
}
