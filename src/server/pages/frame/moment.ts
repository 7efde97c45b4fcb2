import { type Html, html } from '../html/html.ts';

/** A time to the minute, in UTC. `time`: milliseconds since the epoch, or ISO 8601. */
export function minuteOf(time: number | string): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The day of a time, in UTC, for a page that has no room for more. */
export function day(time: number): Html {
  const text = new Date(time).toISOString();
  return html`<time datetime="${text}">${text.slice(0, 10)}</time>`;
}

/** A time to the minute for a page, which programs can read too. */
export function moment(time: number | string): Html {
  return html`<time datetime="${new Date(time).toISOString()}">${minuteOf(time)}</time>`;
}
