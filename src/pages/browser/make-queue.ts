import { copyButton, downloadLink, smallButton } from './buttons.ts';
import { type PageJob, pause, waitForJob } from './jobs.ts';
import { say } from './language.ts';
import type { ResultRow } from './result-row.ts';
import type { Results } from './results.ts';

/** Seconds to wait at a rate limit without Retry-After. */
const PAUSE = 3;

interface QueuedPicture {
  readonly row: ResultRow;
  /** The form's fields when the picture was submitted, with the picture or where it is. */
  readonly fields: FormData;
}

/** Sends pictures, a few at a time, and shows the result of each. */
export class MakeQueue {
  readonly #results: Results;
  /** Pictures under way at the same time: as many as the server takes of this person. */
  readonly #atOnce: number;
  readonly #waiting: QueuedPicture[] = [];
  readonly #failed = new Set<QueuedPicture>();
  /** Those of them that never reached the server. */
  readonly #unreached = new Set<QueuedPicture>();
  /** Pictures that the server does not have yet. */
  #unsent = 0;
  #underWay = 0;
  /** Ends when the server accepts pictures again. */
  #pause: Promise<void> | undefined;

  constructor(results: Results, atOnce: number) {
    this.#results = results;
    this.#atOnce = atOnce;
    addEventListener('online', () => this.#addAgain([...this.#unreached]));
    addEventListener('beforeunload', (event) => {
      if (this.#unsent > 0) event.preventDefault();
    });
  }

  /** `height`: of the form, in whose place the results are shown. */
  add(inputs: readonly QueuedPicture[], height: number): void {
    this.#unsent += inputs.length;
    this.#results.begin(inputs.length, height);
    for (const { row } of inputs) {
      row.wait();
      this.#results.rows.append(row.element);
    }
    this.#waiting.push(...inputs);
    while (this.#underWay < this.#atOnce && this.#waiting.length > 0) void this.#work();
  }

  /** Sends again everything that failed. */
  addFailed(): void {
    this.#addAgain([...this.#failed]);
  }

  #addAgain(inputs: readonly QueuedPicture[]): void {
    for (const input of inputs) this.#forget(input);
    if (inputs.length > 0) this.add(inputs, 0);
  }

  #forget(input: QueuedPicture): void {
    this.#failed.delete(input);
    this.#unreached.delete(input);
    this.#results.restart();
  }

  async #work(): Promise<void> {
    this.#underWay++;
    for (let input = this.#waiting.shift(); input; input = this.#waiting.shift()) await this.#make(input);
    this.#underWay--;
  }

  async #make(input: QueuedPicture): Promise<void> {
    const { row } = input;
    const sent = await this.#send(input);
    this.#unsent--;
    if ('problem' in sent) return this.#fail(input, sent);
    row.say(say('Waiting'));
    const { skin, says } = await waitForJob(sent.job, (progress) => row.say(progress));
    if (!skin) return this.#fail(input, { problem: says ?? say('The skin could not be made.') });
    this.#finish(input, skin);
  }

  async #send({ row, fields }: QueuedPicture): Promise<Sent> {
    for (;;) {
      await this.#pause;
      row.say(say('Uploading'));
      const sent = await send(fields);
      if (!('seconds' in sent)) return sent;
      row.say(say('Queued'));
      this.#pause ??= this.#rest(sent.seconds);
    }
  }

  async #rest(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left--) {
      this.#results.pause(left);
      await pause(1_000);
    }
    this.#results.pause(0);
    this.#pause = undefined;
  }

  #finish({ row }: QueuedPicture, { uuid, value, signature, url, way }: NonNullable<PageJob['skin']>): void {
    const { name, about } = row;
    const { file, text, label = '', notes = [] } = way ?? {};
    const copy = text === undefined ? undefined : copyButton(label, text, about);
    if (copy) copy.textContent = say('Copy');
    const acts = [...(file ? [downloadLink(file, about)] : []), ...(copy ? [copy] : [])];
    const raw = [
      copyButton(say('Value'), value, about),
      copyButton(say('Signature'), signature, about),
      copyButton('URL', url, about),
    ];
    row.finish(uuid, { acts, notes, raw });
    this.#results.made({ name, uuid, value, signature, url });
  }

  /** Failed pictures can be sent again or removed. Without a session, none of the others is sent either. */
  #fail(input: QueuedPicture, { problem, isSignedOut = false, isUnreached = false }: Problem): void {
    const { row } = input;
    this.#failed.add(input);
    if (isUnreached) this.#unreached.add(input);
    row.fail(problem);
    const again = smallButton(say('Try again'), () => this.#addAgain([input]));
    const remove = smallButton(say('Remove'), () => {
      this.#failed.delete(input);
      this.#unreached.delete(input);
      row.element.remove();
      this.#results.removed();
    });
    row.offer([again, remove]);
    this.#results.failed(isSignedOut);
    if (!isSignedOut) return;
    for (const other of this.#waiting.splice(0)) {
      this.#unsent--;
      this.#fail(other, { problem: say('Not sent yet.') });
    }
  }
}

interface Problem {
  readonly problem: string;
  readonly isSignedOut?: boolean;
  /** Whether it is worth another try once there is a network. */
  readonly isUnreached?: boolean;
}

type Sent = { readonly job: string } | Problem;

/** `seconds`: the server accepts nothing for so long. */
async function send(fields: FormData): Promise<Sent | { readonly seconds: number }> {
  try {
    const headers = { accept: 'application/json' };
    const answer = await fetch('/ui/make', { method: 'POST', body: fields, headers });
    if (answer.status === 429) return { seconds: Number(answer.headers.get('retry-after')) || PAUSE };
    const { job, says } = (await answer.json()) as { job: string; says: string };
    return answer.ok ? { job } : { problem: says, isSignedOut: answer.status === 401 };
  } catch {
    return { problem: say('The server could not be reached.'), isUnreached: true };
  }
}
