/** Retention has dropped users that were asked for, or drops them while they are read. */
export class UsersNotKeptError extends Error {
  override readonly name = 'UsersNotKeptError';
}
