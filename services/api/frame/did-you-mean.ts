/** Largest number of wrong letters for which a name is suggested. */
const maxDistance = 3;

/** Returns `: did you mean SG?` if one of the names is close to the text, otherwise an empty string. */
export function didYouMean(text: string, names: readonly string[]): string {
  if (text.length > 64) return '';
  const distances = names.map((name) => ({ name, distance: distance(text.toLowerCase(), name.toLowerCase()) }));
  const [closest] = distances.sort((a, b) => a.distance - b.distance);
  // Short texts allow fewer wrong letters, because all short names are similar to one another.
  const allowed = Math.min(maxDistance, Math.floor(text.length / 3));
  return closest && closest.distance <= allowed ? `: did you mean ${closest.name}?` : '';
}

/** Returns the Levenshtein distance: the number of letters to add, remove or replace. */
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
