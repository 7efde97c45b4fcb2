import { createHmac, randomUUID } from 'node:crypto';

/** Hexadecimal digits of a time in milliseconds, until the year 10889. */
const TIME_DIGITS = 12;

/**
 * The id of a new job: a UUID that begins with its time (version 7 of RFC 9562), with 74 random bits. Jobs of one moment
 * are neighbours in the index of ids, so that a store writes a few of its pages instead of one for each job.
 */
export function newJobId(now: number): string {
  const time = Math.max(0, Math.trunc(now)).toString(16).padStart(TIME_DIGITS, '0');
  // Node makes random UUIDs many at once. Those have their version where this one has its own.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Characters of an id before its last group. */
const HEAD = 24;

/**
 * The id of a job that came from the browser with this secret. Visitors who are not signed in share an address with others
 * behind it, who must not find their jobs: the last digits of the id tell its browser, and nobody else.
 */
export function visitorsJobId(secret: string, now: number): string {
  return marked(newJobId(now), secret);
}

export function isVisitorsJob(id: string, secret: string): boolean {
  return id === marked(id, secret);
}

function marked(id: string, secret: string): string {
  const head = id.slice(0, HEAD);
  return (
    head +
    createHmac('sha256', secret)
      .update(head)
      .digest('hex')
      .slice(0, id.length - HEAD)
  );
}
