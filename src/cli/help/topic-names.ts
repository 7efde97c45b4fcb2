/** Help topics that are not commands; their texts are in topics.ts. */
export const TOPIC_SUMMARIES = [
  ['environment', 'environment variables'],
  ['exit-status', 'exit statuses and what they mean'],
] as const satisfies readonly (readonly [name: string, summary: string])[];

export type TopicName = (typeof TOPIC_SUMMARIES)[number][0];

export function isTopic(word: string): word is TopicName {
  return TOPIC_SUMMARIES.some(([name]) => name === word);
}
