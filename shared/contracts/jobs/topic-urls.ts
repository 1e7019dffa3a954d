/** Scheme of a Kafka topic: the job is written to the topic, without an HTTP call. */
export const topicScheme = 'kafka:';

const topicName = /^[A-Za-z0-9._-]{1,249}$/;

/** Returns the topic that a URL writes to; undefined if the URL is called. */
export function topicOf(url: string): string | undefined {
  return url.startsWith(topicScheme) ? url.slice(topicScheme.length) : undefined;
}

export function isTopicName(topic: string): boolean {
  return topicName.test(topic) && topic !== '.' && topic !== '..';
}

/** Returns the origin that encrypted parts of a call are bound to: scheme, host and port, or a topic. */
export function callOriginOf(url: string): string {
  return topicOf(url) === undefined ? new URL(url).origin : url;
}
