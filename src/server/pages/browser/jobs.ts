/** A job as `/ui/jobs/<id>/state` tells it. */
export interface PageJob {
  readonly status: 'waiting' | 'processing' | 'completed' | 'failed';
  readonly skin?: {
    readonly uuid: string;
    readonly value: string;
    readonly signature: string;
    readonly url: string;
  };
  readonly error?: { readonly code: string; readonly message: string };
}

/** Milliseconds before a request that failed is sent again. */
const RETRY = 2_000;

/** The job's end. The server answers when something has changed, so there is no pause between the requests. */
export async function waitForJob(id: string, onState: (state: PageJob) => void): Promise<PageJob> {
  for (let seen = ''; ; ) {
    const state = await readState(id, seen);
    if (!state) {
      await pause(RETRY);
      continue;
    }
    if (state.status === 'completed' || state.status === 'failed') return state;
    seen = state.status;
    onState(state);
  }
}

/** Undefined if the server could not be asked, or asks for a pause. */
async function readState(id: string, seen: string): Promise<PageJob | undefined> {
  try {
    const answer = await fetch(`/ui/jobs/${id}/state?seen=${seen}`, {
      headers: { accept: 'application/json' },
    });
    if (answer.ok) return (await answer.json()) as PageJob;
    if (answer.status === 429 || answer.status >= 500) return undefined;
    return { status: 'failed', error: { code: 'job_not_found', message: 'The job is gone.' } };
  } catch {
    return undefined;
  }
}

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Goes on to the skin, or to the reason why there is none. */
export async function followJob(element: HTMLElement): Promise<void> {
  await waitForJob(element.dataset['job'] ?? '', ({ status }) => {
    element.textContent = status === 'processing' ? 'It is being made.' : 'It waits for its turn.';
  });
  location.reload();
}
