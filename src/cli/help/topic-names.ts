/** Help topics that are not commands; their texts are in man/topics.ts. */
export const TOPIC_SUMMARIES = [
  ['environment', 'environment variables'],
  ['exit-status', 'exit statuses and what they mean'],
  ['formats', 'columns, JSON fields and files for programs'],
] as const satisfies readonly (readonly [name: string, summary: string])[];

export type TopicName = (typeof TOPIC_SUMMARIES)[number][0];

export function isTopic(word: string): word is TopicName {
  return TOPIC_SUMMARIES.some(([name]) => name === word);
}
