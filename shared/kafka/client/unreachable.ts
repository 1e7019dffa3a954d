const unreachable = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSGroupCoordinatorNotFound',
]);

/** Returns true if the error of a request means that no broker answered it. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return unreachable.has(error.name) || isUnreachable(error.cause);
}
