/** Before the name of a topic: what goes there is written, and no call. */
export const topicScheme = 'kafka:';

/** As Kafka names them. */
const topicName = /^[A-Za-z0-9._-]{1,249}$/;

/** The topic that a URL writes to; undefined where it is called. */
export function topicOf(url: string): string | undefined {
  return url.startsWith(topicScheme) ? url.slice(topicScheme.length) : undefined;
}

export function isTopicName(topic: string): boolean {
  return topicName.test(topic) && topic !== '.' && topic !== '..';
}

/** What is sealed of a call opens for this alone: scheme, host and port, or a topic. */
export function callOriginOf(url: string): string {
  return topicOf(url) === undefined ? new URL(url).origin : url;
}
