/** An invalid command line; the message describes the valid usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
