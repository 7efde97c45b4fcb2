import { ENVIRONMENT } from '../config/environment.ts';
import { EXIT_STATUSES } from '../errors/exit.ts';
import { describedRows } from './described-rows.ts';
import type { TopicName } from './topic-names.ts';

const TOPICS: Readonly<Record<TopicName, (width: number) => string>> = {
  environment: (width) => describedRows('Environment variables:', ENVIRONMENT, width),
  'exit-status': (width) =>
    describedRows(
      'Exit statuses:',
      Object.values(EXIT_STATUSES).map(({ status, meaning }) => [String(status), meaning]),
      width,
    ),
};

/** Renders a topic in lines of at most `width` columns. */
export function topicText(name: TopicName, width: number): string {
  return TOPICS[name](width);
}
