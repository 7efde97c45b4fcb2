/** What a person's browser sends along with every page that it opens. */
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>> | FormData;
}

/** A browser without scripts: it keeps its cookie, and follows no redirect. */
export class PlainBrowser {
  readonly #origin: string;
  cookie: string | undefined;

  constructor(origin: string) {
    this.#origin = origin;
  }

  async open(path: string, { headers, form }: Sending = {}): Promise<Seen> {
    const answer = await fetch(`${this.#origin}${path}`, {
      redirect: 'manual',
      headers: {
        accept: ACCEPT,
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
        'sec-fetch-site': form ? 'same-origin' : 'none',
        ...(this.cookie !== undefined && { cookie: this.cookie }),
        ...headers,
      },
      ...(form && { method: 'POST', body: form instanceof FormData ? form : new URLSearchParams(form) }),
    });
    const set = answer.headers.get('set-cookie');
    if (set !== null) this.cookie = /Max-Age=0/.test(set) ? undefined : set.split(';', 1)[0];
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  async signIn(key: string | undefined): Promise<Seen> {
    return await this.open('/ui/sign-in', { form: { key: key ?? '' } });
  }
}
