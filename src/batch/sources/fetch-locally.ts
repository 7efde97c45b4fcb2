import { Agent } from 'undici';
import { networkReason } from '../../base/network-reason.ts';
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

/**
 * The same sources in the same order, with URLs fetched from this machine: each becomes a picture or a
 * problem. Private networks belong to the user and are allowed.
 */
export async function* fetchedSources(
  sources: AsyncIterable<BatchSource>,
  signal: AbortSignal,
): AsyncGenerator<BatchSource> {
  const agent = new Agent();
  const ahead: Promise<BatchSource>[] = [];
  try {
    for await (const source of sources) {
      ahead.push(fetched(source, agent, signal));
      if (ahead.length === AT_ONCE) yield (await ahead.shift())!;
    }
    for (const source of ahead) yield await source;
  } finally {
    void agent.close(); // once the downloads that nobody waits for any longer have ended
  }
}

async function fetched(source: BatchSource, agent: Agent, signal: AbortSignal): Promise<BatchSource> {
  const { content } = source;
  if (content.kind !== 'url') return source;
  const picture = await fetchBy(agent, content.url, signal);
  const isFitted = content.fit && picture.kind === 'bytes';
  return { ...source, content: isFitted ? { ...picture, fit: true } : picture };
}

/** A picture fetched from here; failures become a content of kind `problem`. */
export async function fetchPicture(url: string, signal: AbortSignal): Promise<FetchedContent> {
  const agent = new Agent();
  try {
    return await fetchBy(agent, url, signal);
  } finally {
    void agent.close();
  }
}

async function fetchBy(agent: Agent, url: string, signal: AbortSignal): Promise<FetchedContent> {
  const limit = AbortSignal.timeout(TIMEOUT);
  try {
    return { kind: 'bytes', bytes: await follow(agent, new URL(url), AbortSignal.any([limit, signal])) };
  } catch (error) {
    if (signal.aborted) return problem(url, 'it was interrupted');
    if (limit.aborted) return problem(url, `it took longer than ${TIMEOUT / 1_000} seconds`);
    return problem(url, error instanceof Unfetchable ? error.message : networkReason(error));
  }
}

class Unfetchable extends Error {}

async function follow(agent: Agent, first: URL, signal: AbortSignal): Promise<Uint8Array> {
  let url = first;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const answer = await fetchOnce(agent, url, signal);
    if (!(answer instanceof URL)) return answer;
    url = answer;
  }
  throw new Unfetchable(`more than ${MAX_REDIRECTS} redirects`);
}

/** The body, or the target of a redirect. */
async function fetchOnce(agent: Agent, url: URL, signal: AbortSignal): Promise<Uint8Array | URL> {
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
  } = await agent.request({
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
