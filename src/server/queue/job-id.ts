import { randomUUID } from 'node:crypto';

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
