/** A process may not start in the present state. The message is for people: it describes the problem and the remedy. */
export class StartRefusedError extends Error {
  override readonly name = 'StartRefusedError';
}
