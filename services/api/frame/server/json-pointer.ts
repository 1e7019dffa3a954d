/**
 * Characters of a pointer in a response. Bodies allow longer paths, and a hundred problems below one long name would
 * make the response many times larger than the body.
 */
const maxPointerLength = 1000;

/**
 * Returns a JSON pointer (RFC 6901); empty for the whole value. If it would be longer than 1,000 characters, returns
 * the pointer of the nearest surrounding value that fits.
 */
export function pointerOf(path: readonly PropertyKey[]): string {
  let pointer = '';
  for (const key of path) {
    const name = String(key);
    // Escapes only make the name longer.
    if (pointer.length + name.length >= maxPointerLength) break;
    const part = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (pointer.length + part.length > maxPointerLength) break;
    pointer += part;
  }
  return pointer;
}

/** Shortens a pointer that was concatenated, as `pointerOf` does. */
export function shortPointer(pointer: string): string {
  return pointer.length <= maxPointerLength ? pointer : pointer.slice(0, pointer.lastIndexOf('/', maxPointerLength));
}
