/**
 * Characters of a pointer in an answer. Names and depth of a body allow for longer ones, and a hundred problems below
 * one long name would be an answer of many times the size of the body.
 */
const maxPointerLength = 1000;

/**
 * A JSON pointer (RFC 6901): empty for the whole value. If it would be longer than 1,000 characters, it is the one of
 * the nearest value around that has a shorter one.
 */
export function pointerOf(path: readonly PropertyKey[]): string {
  let pointer = '';
  for (const key of path) {
    const name = String(key);
    // Escapes only make it longer.
    if (pointer.length + name.length >= maxPointerLength) break;
    const part = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (pointer.length + part.length > maxPointerLength) break;
    pointer += part;
  }
  return pointer;
}

/** Shortens a pointer that was put together of several, as `pointerOf` does. */
export function shortPointer(pointer: string): string {
  return pointer.length <= maxPointerLength ? pointer : pointer.slice(0, pointer.lastIndexOf('/', maxPointerLength));
}
