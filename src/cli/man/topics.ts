import type { Command } from 'commander';
import { ENVIRONMENT } from '../config/environment.ts';
import { EXIT_STATUSES } from '../errors/exit.ts';
import { describedRows } from '../help/described-rows.ts';
import type { TopicName } from '../help/topic-names.ts';
import { formatsPage } from './formats-page.ts';
import { plainText } from './plain.ts';

const TOPICS: Readonly<Record<TopicName, (width: number, program: Command) => string>> = {
  environment: (width) => describedRows('Environment variables:', ENVIRONMENT, width),
  'exit-status': (width) =>
    describedRows(
      'Exit statuses:',
      Object.values(EXIT_STATUSES).map(({ status, meaning }) => [String(status), meaning]),
      width,
    ),
  formats: (width, program) => plainText(formatsPage(program), width),
};

/** Renders a topic in lines of at most `width` columns. `program`: fully loaded. */
export function topicText(name: TopicName, width: number, program: Command): string {
  return TOPICS[name](width, program);
}
