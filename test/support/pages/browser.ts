/** What a person's browser sends along with every page that it opens. */
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>> | FormData | URLSearchParams;
}

/** A browser without scripts, which keeps cookies and follows no redirects. */
export class PlainBrowser {
  readonly #origin: string;
  /** Of the session. */
  cookie: string | undefined;
  /** Of a sign-in through a provider. */
  signInCookie: string | undefined;
  /** Of a visitor who is not signed in. */
  visitorCookie: string | undefined;

  constructor(origin: string) {
    this.#origin = origin;
  }

  async open(path: string, { headers, form }: Sending = {}): Promise<Seen> {
    const cookies = [this.cookie, this.signInCookie, this.visitorCookie].filter((one) => one !== undefined);
    const answer = await fetch(`${this.#origin}${path}`, {
      redirect: 'manual',
      headers: {
        accept: ACCEPT,
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
        'sec-fetch-site': form ? 'same-origin' : 'none',
        ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
        ...headers,
      },
      ...(form && { method: 'POST', body: form instanceof FormData ? form : new URLSearchParams(form) }),
    });
    for (const set of answer.headers.getSetCookie()) this.#keep(set);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  #keep(set: string): void {
    const cookie = /Max-Age=0/.test(set) ? undefined : set.split(';', 1)[0];
    if (/^(?:__Host-)?skinsmith-sign-in=/.test(set)) this.signInCookie = cookie;
    else if (/^(?:__Host-)?skinsmith-visitor=/.test(set)) this.visitorCookie = cookie;
    else this.cookie = cookie;
  }

  async signIn(key: string | undefined): Promise<Seen> {
    return await this.open('/ui/sign-in', { form: { key: key ?? '' } });
  }
}
