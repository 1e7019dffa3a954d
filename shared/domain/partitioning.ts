/** Number of partitions of the jobs table. A change would make pending jobs unfindable. */
export const partitionCount = 64;

/** Returns the partition of a key's jobs, 0 to 63, which never changes. */
export function partitionOf(key: string): number {
  const hash = fnv1a(key);
  // The low bits of FNV-1a depend only on the low bits of the characters, so the high half is folded in.
  return ((hash >>> 16) ^ hash) & (partitionCount - 1);
}

/** Returns the FNV-1a hash, 32 bits, over the UTF-8 bytes (draft-eastlake-fnv). */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}
