/** Divides a whole number of users in proportion to the weights. The parts are whole, and add up to the number. */
export function divideUsers(users: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const exact = weights.map((weight) => (users * weight) / sum);
  const rest = users - exact.reduce((all, part) => all + Math.floor(part), 0);
  const byRemainder = exact.map((part, place) => ({ place, remainder: part % 1 }));
  byRemainder.sort((a, b) => b.remainder - a.remainder || a.place - b.place);
  const raised = new Set(byRemainder.slice(0, rest).map(({ place }) => place));
  return exact.map((part, place) => Math.floor(part) + (raised.has(place) ? 1 : 0));
}
