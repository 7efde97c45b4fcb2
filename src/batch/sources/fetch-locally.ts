import { networkReason } from '../../base/network-reason.ts';
import { openSender, type Proxies, type Sender } from '../../base/proxies.ts';
import { VERSION } from '../../base/version.ts';
import type { BatchSource, SourceContent } from '../model/source.ts';

/** Concurrent downloads; later URLs wait in order. */
const AT_ONCE = 6;
/** Milliseconds per download, including redirects. */
const TIMEOUT = 10_000;
/** Far more than a skin's 20,000 bytes, so that the check can still say what it is. */
const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 5;

/** The picture, or why it could not be fetched. */
type FetchedContent = Extract<SourceContent, { kind: 'bytes' | 'problem' }>;

export interface FetchOptions {
  readonly signal: AbortSignal;
  readonly proxies: Proxies | undefined;
}

/**
 * The same sources in the same order, with URLs fetched from this machine: each becomes a picture or a
 * problem. Private networks belong to the user and are allowed.
 */
export async function* fetchedSources(
  sources: AsyncIterable<BatchSource>,
  { signal, proxies }: FetchOptions,
): AsyncGenerator<BatchSource> {
  const sender = await openSender(proxies);
  const ahead: Promise<BatchSource>[] = [];
  try {
    for await (const source of sources) {
      ahead.push(fetched(source, sender, signal));
      if (ahead.length === AT_ONCE) yield (await ahead.shift())!;
    }
    for (const source of ahead) yield await source;
  } finally {
    void sender.close(); // once the downloads that nobody waits for any longer have ended
  }
}

async function fetched(source: BatchSource, sender: Sender, signal: AbortSignal): Promise<BatchSource> {
  const { content } = source;
  if (content.kind !== 'url') return source;
  const picture = await fetchBy(sender, content.url, signal);
  const isFitted = content.fit && picture.kind === 'bytes';
  return { ...source, content: isFitted ? { ...picture, fit: true } : picture };
}

/** A picture fetched from here; failures become a content of kind `problem`. */
export async function fetchPicture(url: string, { signal, proxies }: FetchOptions): Promise<FetchedContent> {
  const sender = await openSender(proxies);
  try {
    return await fetchBy(sender, url, signal);
  } finally {
    void sender.close();
  }
}

async function fetchBy(sender: Sender, url: string, signal: AbortSignal): Promise<FetchedContent> {
  const limit = AbortSignal.timeout(TIMEOUT);
  try {
    return { kind: 'bytes', bytes: await follow(sender, new URL(url), AbortSignal.any([limit, signal])) };
  } catch (error) {
    if (signal.aborted) return problem(url, 'it was interrupted');
    if (limit.aborted) return problem(url, `it took longer than ${TIMEOUT / 1_000} seconds`);
    return problem(url, error instanceof Unfetchable ? error.message : networkReason(error));
  }
}

class Unfetchable extends Error {}

async function follow(sender: Sender, first: URL, signal: AbortSignal): Promise<Uint8Array> {
  let url = first;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const answer = await fetchOnce(sender, url, signal);
    if (!(answer instanceof URL)) return answer;
    url = answer;
  }
  throw new Unfetchable(`more than ${MAX_REDIRECTS} redirects`);
}

/** The body, or the target of a redirect. */
async function fetchOnce(sender: Sender, url: URL, signal: AbortSignal): Promise<Uint8Array | URL> {
  const headers = {
    'user-agent': `skinsmith/${VERSION}`,
    accept: 'image/png,*/*;q=0.1',
    'accept-encoding': 'identity',
  };
  const { origin, pathname, search } = url;
  const {
    statusCode,
    headers: told,
    body,
  } = await sender.request({
    origin,
    path: pathname + search,
    method: 'GET',
    headers,
    signal,
  });
  if (statusCode > 299 || told['content-encoding'] !== undefined) {
    body.on('error', () => {}).destroy(); // ignores the error of its own abort
    if (statusCode >= 300 && statusCode <= 399) return redirectOf(told['location'], url);
    throw new Unfetchable(
      statusCode > 299 ? `${url.host} answered ${statusCode}` : `${url.host} answered with a compressed body`,
    );
  }
  return await readBody(body, url.host);
}

function redirectOf(location: string | string[] | undefined, from: URL): URL {
  const url = typeof location === 'string' ? URL.parse(location, from.href) : null;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new Unfetchable(`${from.host} redirects to a non-http address`);
}

async function readBody(body: AsyncIterable<Buffer>, host: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Unfetchable(`${host} answered with more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function problem(url: string, why: string): FetchedContent {
  return {
    kind: 'problem',
    problem: { code: 'invalid_image_url', message: `${url} could not be fetched: ${why}.` },
  };
}
