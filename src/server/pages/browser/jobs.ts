/** A job in the answer of `/ui/jobs/<id>/state`. */
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

/** Milliseconds before a failed request is sent again. */
const RETRY = 2_000;

/** Waits for the job's end. The server answers when something has changed, so no pause between requests is needed. */
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

/** Undefined if the server is unreachable or limits requests. */
async function readState(id: string, seen: string): Promise<PageJob | undefined> {
  try {
    const answer = await fetch(`/ui/jobs/${id}/state?seen=${seen}`, {
      headers: { accept: 'application/json' },
    });
    if (answer.ok) return (await answer.json()) as PageJob;
    if (answer.status === 429 || answer.status >= 500) return undefined;
    return { status: 'failed', error: { code: 'job_not_found', message: 'This job no longer exists.' } };
  } catch {
    return undefined;
  }
}

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Leads to the skin, or to the reason why there is none. */
export async function followJob(element: HTMLElement): Promise<void> {
  await waitForJob(element.dataset['job'] ?? '', ({ status }) => {
    element.textContent = status === 'processing' ? 'Making the skin.' : 'Waiting in the queue.';
  });
  location.reload();
}
