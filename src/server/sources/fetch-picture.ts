import { sniffKind } from '../../skin/png/header.ts';
import { fetchGuarded, type GuardedAnswer } from '../outbound/fetch-guarded.ts';
import type { GuardedAgent } from '../outbound/guarded-agent.ts';
import { OutboundError, type OutboundFault } from '../outbound/outbound-error.ts';
import { Refusal } from '../service/refusal.ts';

/** Milliseconds for the whole fetch, redirects included. */
const TIMEOUT = 10_000;
/** Far more than a skin's 20,000 bytes, so that the picture's own check can still report what is wrong. */
const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 5;
const HEADERS = { accept: 'image/png,*/*;q=0.1' };
const PNG_SIGNATURE = '89504e470d0a1a0a';

/** Explains a fault where its own message does not. */
const ADVICE: Readonly<Partial<Record<OutboundFault, string>>> = {
  address_refused: 'That address is not public. Send the picture itself.',
  port_refused: 'Send the picture itself.',
  too_large: 'A skin has at most 20,000 bytes.',
};

const STATUSES: Readonly<Record<number, string>> = {
  401: 'it wants to know who asks',
  403: 'it does not let this service have it',
  404: 'there is nothing at this address',
  410: 'the picture is gone',
  429: 'it was asked too often',
};

/**
 * The PNG at an address named by a caller. Its bytes decide, not the content type; whether the picture is a skin is not
 * checked.
 * @throws Refusal `invalid_image_url`, with the reason
 */
export async function fetchPicture(agent: GuardedAgent, url: string): Promise<Uint8Array> {
  const answer = await fetchIt(agent, url);
  const { host } = new URL(answer.url);
  if (answer.status < 200 || answer.status > 299) throw refused(host, answer);
  if (answer.bytes.length === 0) throw new Refusal('invalid_image_url', `${host} answered with nothing.`);
  if (answer.bytes.subarray(0, 8).toString('hex') === PNG_SIGNATURE) return answer.bytes;
  throw noPng(host, answer.bytes);
}

async function fetchIt(agent: GuardedAgent, url: string): Promise<GuardedAnswer> {
  try {
    return await fetchGuarded(agent, {
      url,
      method: 'GET',
      headers: HEADERS,
      timeout: TIMEOUT,
      answer: 'whole',
      maxBytes: MAX_BYTES,
      maxRedirects: MAX_REDIRECTS,
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const { code, message } = error;
    const advice = ADVICE[code];
    const notes = advice === undefined ? [] : [{ code, message: advice }];
    throw new Refusal('invalid_image_url', { message, notes, cause: error });
  }
}

function refused(host: string, { status }: GuardedAnswer): Refusal {
  const why = STATUSES[status];
  return new Refusal(
    'invalid_image_url',
    `${host} answered ${status}${why === undefined ? '' : `: ${why}`}.`,
  );
}

function noPng(host: string, bytes: Uint8Array): Refusal {
  const kind = sniffKind(bytes) ?? 'something that is no PNG';
  const hint = kind.includes('HTML')
    ? ' Give the address of the picture itself, not of the page it is on.'
    : '';
  return new Refusal('invalid_image_url', `${host} answered with ${kind}, not with a PNG.${hint}`);
}
