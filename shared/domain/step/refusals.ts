/** So many refused users are an accident in any audience. */
const minRefusedUsers = 1000;

/**
 * Whether so many users of a step were refused that it is more likely its parameters than its people.
 * @param limitPercent of the users that were answered for
 */
export function isRefusedTooOften(
  { succeeded, refused }: { succeeded: number; refused: number },
  limitPercent: number,
): boolean {
  return refused >= minRefusedUsers && refused * 100 > limitPercent * (succeeded + refused);
}
