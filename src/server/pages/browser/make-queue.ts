import { smallButton } from './button.ts';
import { copyButton } from './copy.ts';
import { type PageJob, pause, waitForJob } from './jobs.ts';
import type { ResultRow } from './result-row.ts';

/** Pictures to send at the same time. */
const AT_ONCE = 2;
/** Milliseconds to wait at a rate limit without Retry-After. */
const PAUSE = 3_000;

interface QueuedPicture {
  readonly file: File;
  readonly row: ResultRow;
  /** The form's fields when the picture was submitted. */
  readonly fields: FormData;
}

/** Sends pictures, a few at a time, and shows the result of each. */
export class MakeQueue {
  readonly #waiting: QueuedPicture[] = [];
  #underWay = 0;

  add(inputs: readonly QueuedPicture[]): void {
    this.#waiting.push(...inputs);
    while (this.#underWay < AT_ONCE && this.#waiting.length > 0) void this.#work();
  }

  async #work(): Promise<void> {
    this.#underWay++;
    for (let input = this.#waiting.shift(); input; input = this.#waiting.shift()) {
      try {
        const problem = await make(input);
        if (problem) this.#failed(input, problem.message, problem.isSignedOut);
      } catch {
        this.#failed(input, 'The server could not be reached.');
      }
    }
    this.#underWay--;
  }

  /** Failed pictures can be sent again or removed. */
  #failed(input: QueuedPicture, reason: string, isSignedOut = false): void {
    const { row } = input;
    row.fail(reason);
    if (isSignedOut) row.link('/ui/sign-in', 'Sign in');
    const again = smallButton('Try again', () => {
      row.wait();
      this.add([input]);
    });
    row.offer([again, smallButton('Remove', () => row.element.remove())]);
  }
}

interface Failure {
  readonly message: string;
  readonly isSignedOut: boolean;
}

async function make({ file, row, fields }: QueuedPicture): Promise<Failure | undefined> {
  row.say('Uploading');
  fields.set('file', file);
  const sent = await send(fields, row);
  if ('error' in sent) return sent.error;
  row.say('Waiting');
  const state = await waitForJob(sent.job, ({ status }) =>
    row.say(status === 'processing' ? 'Being made' : 'Waiting'),
  );
  return show(state, row);
}

async function send(fields: FormData, row: ResultRow): Promise<{ job: string } | { error: Failure }> {
  for (;;) {
    const answer = await fetch('/ui/make', {
      method: 'POST',
      body: fields,
      headers: { accept: 'application/json' },
    });
    const body = (await answer.json()) as { job: string; errors?: readonly { message: string }[] };
    if (answer.ok) return { job: body.job };
    if (answer.status !== 429) {
      const message = (body.errors ?? []).map((error) => error.message).join(' ');
      return { error: { message, isSignedOut: answer.status === 401 } };
    }
    const ms = Number(answer.headers.get('retry-after') ?? 0) * 1000 || PAUSE;
    row.say(`Rate limit reached. Continuing
    in ${Math.ceil(ms / 1000)} s`);
    await pause(ms);
  }
}

function show({ skin, error }: PageJob, row: ResultRow): Failure | undefined {
  if (!skin) return { message: error?.message ?? 'The skin could not be made.', isSignedOut: false };
  const { uuid, value, signature, url } = skin;
  const buttons = [
    copyButton('Copy the value', value),
    copyButton('Copy the signature', signature),
    copyButton('Copy the texture URL', url),
  ];
  row.finish(`/ui/skins/${uuid}`, buttons);
  return undefined;
}
