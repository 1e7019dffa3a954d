/** Highest number of wrong letters in a suggestion. */
const maxDistance = 3;

/** Returns `: did you mean SG?` if one of the names is close to the text, otherwise an empty string. */
export function didYouMean(text: string, names: readonly string[]): string {
  if (text.length > 64) return '';
  const distances = names.map((name) => ({ name, distance: distance(text.toLowerCase(), name.toLowerCase()) }));
  const [closest] = distances.sort((a, b) => a.distance - b.distance);
  // Short texts allow fewer wrong letters, because any short name is close to any other.
  const allowed = Math.min(maxDistance, Math.floor(text.length / 3));
  return closest && closest.distance <= allowed ? `: did you mean ${closest.name}?` : '';
}

/** Computes the Levenshtein distance: letters to add, remove or change. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
