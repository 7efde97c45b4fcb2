import { copyButton } from './copy.ts';
import { type JobState, pause, waitForJob } from './jobs.ts';
import type { ResultRow } from './result-row.ts';

/** Pictures that are sent at the same time. */
const AT_ONCE = 2;
/** Milliseconds to wait when the server asks for a pause without saying how long. */
const PAUSE = 3_000;

interface Wish {
  readonly file: File;
  readonly row: ResultRow;
  /** The form as it was when the picture was sent. */
  readonly fields: FormData;
}

/** Sends pictures, a few at a time, and shows what becomes of each. */
export class MakeQueue {
  readonly #waiting: Wish[] = [];
  #underWay = 0;

  add(wishes: readonly Wish[]): void {
    this.#waiting.push(...wishes);
    while (this.#underWay < AT_ONCE && this.#waiting.length > 0) void this.#work();
  }

  async #work(): Promise<void> {
    this.#underWay++;
    for (let wish = this.#waiting.shift(); wish; wish = this.#waiting.shift()) {
      try {
        await make(wish);
      } catch {
        wish.row.fail('The server could not be reached. Try again.');
      }
    }
    this.#underWay--;
  }
}

async function make({ file, row, fields }: Wish): Promise<void> {
  row.say('Sending');
  fields.set('file', file);
  const sent = await send(fields, row);
  if ('error' in sent) {
    row.fail(sent.error);
    return;
  }
  row.say('Waiting');
  const state = await waitForJob(sent.job, ({ status }) =>
    row.say(status === 'processing' ? 'Being made' : 'Waiting'),
  );
  show(state, row);
}

async function send(fields: FormData, row: ResultRow): Promise<{ job: string } | { error: string }> {
  for (;;) {
    const answer = await fetch('/ui/make', {
      method: 'POST',
      body: fields,
      headers: { accept: 'application/json' },
    });
    const body = (await answer.json()) as { job: string; errors?: readonly { message: string }[] };
    if (answer.ok) return { job: body.job };
    if (answer.status !== 429) return { error: (body.errors ?? []).map(({ message }) => message).join(' ') };
    row.say('The server asks for a pause');
    await pause(Number(answer.headers.get('retry-after') ?? 0) * 1000 || PAUSE);
  }
}

function show({ skin, error }: JobState, row: ResultRow): void {
  if (!skin) {
    row.fail(error?.message ?? 'The skin was not made.');
    return;
  }
  const { uuid, value, signature, url } = skin;
  const buttons = [
    copyButton('Copy the value', value),
    copyButton('Copy the signature', signature),
    copyButton('Copy the texture address', url),
  ];
  row.finish(`/ui/skins/${uuid}`, buttons);
}
