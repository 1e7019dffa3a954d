export function usersInWords(count: number): string {
  return count === 1 ? '1 user' : `${count.toLocaleString('en')} users`;
}

const sampleSize = 3;

/** Formats the first ids, quoted as in JSON. */
export function someOf(ids: readonly string[]): string {
  const some = ids.slice(0, sampleSize).map((id) => JSON.stringify(id.length > 60 ? `${id.slice(0, 60)}…` : id));
  return ids.length > sampleSize ? `${some.join(', ')} …` : some.join(', ');
}
