import { say } from './language.ts';

/** The same as in `skin-uses.ts`. */
export interface BestWay {
  readonly label: string;
  readonly text?: string;
  readonly file?: { readonly name: string; readonly address: string };
  readonly notes: readonly string[];
}

/** A job in the answer of `/ui/jobs/<id>/state`. */
export interface PageJob {
  readonly status: 'waiting' | 'processing' | 'completed' | 'failed';
  /** How far it is, or why it failed. */
  readonly says?: string;
  readonly skin?: {
    readonly uuid: string;
    readonly value: string;
    readonly signature: string;
    readonly url: string;
    /** How to use it where the visitor uses skins. */
    readonly way?: BestWay;
  };
}

/** Milliseconds before a failed request is sent again. */
const RETRY = 2_000;

/** Waits for the job's end. The server answers when something has changed, so no pause between requests is needed. */
export async function waitForJob(id: string, tell: (progress: string) => void): Promise<PageJob> {
  for (let seen = ''; ; ) {
    const state = await readState(id, seen);
    if (typeof state === 'object') {
      if (state.status === 'completed' || state.status === 'failed') return state;
      seen = state.status;
      tell(state.says ?? '');
      continue;
    }
    if (state === 'unreachable') {
      seen = ''; // so that the first answer tells the state
      tell(say('The server does not answer. Trying again.'));
    }
    await pause(RETRY);
  }
}

async function readState(id: string, seen: string): Promise<PageJob | 'unreachable' | 'busy'> {
  try {
    const answer = await fetch(`/ui/jobs/${id}/state?seen=${seen}`, {
      headers: { accept: 'application/json' },
    });
    if (answer.ok) return (await answer.json()) as PageJob;
    if (answer.status === 429) return 'busy';
    if (answer.status >= 500) return 'unreachable';
    const message =
      answer.status === 401
        ? say('You have been signed out. Sign in again.')
        : say('This job no longer exists.');
    return { status: 'failed', says: message };
  } catch {
    return 'unreachable';
  }
}

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Leads to the skin, or to the reason why there is none. */
export async function followJob(element: HTMLElement): Promise<void> {
  await waitForJob(element.dataset['job'] ?? '', (progress) => {
    element.textContent = progress;
  });
  location.reload();
}
