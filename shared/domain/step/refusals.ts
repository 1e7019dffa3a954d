/** Minimum number of refused users that indicates an accident, in any audience. */
const minRefusedUsers = 1000;

/**
 * Returns whether so many users of a step were refused that its parameters are a more likely cause than its users.
 * @param limitPercent of the users that were answered for
 */
export function isRefusedTooOften(
  { succeeded, refused }: { succeeded: number; refused: number },
  limitPercent: number,
): boolean {
  return refused >= minRefusedUsers && refused * 100 > limitPercent * (succeeded + refused);
}
