/** A process may not take part as things stand. Its message is for a person: it says what is wrong and what to do. */
export class StartRefusedError extends Error {
  override readonly name = 'StartRefusedError';
}
