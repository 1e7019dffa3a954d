/** What was typed cannot be carried out; the message says what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
