/**
 * Maximum number of characters of a pointer. Without this limit, a hundred problems inside an object with a long name
 * would make the response much longer than the body.
 */
const maxPointerLength = 1000;

/**
 * Returns a JSON pointer (RFC 6901). If it would exceed 1,000 characters, returns the pointer to the nearest enclosing
 * value whose pointer is short enough.
 */
export function pointerOf(path: readonly PropertyKey[]): string {
  let pointer = '';
  for (const key of path) {
    const name = String(key);
    // The length of the name is a lower bound, because escapes only make it longer.
    if (pointer.length + name.length >= maxPointerLength) break;
    const part = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (pointer.length + part.length > maxPointerLength) break;
    pointer += part;
  }
  return pointer;
}

/** Shortens a concatenated pointer in the same way as `pointerOf`. */
export function shortPointer(pointer: string): string {
  return pointer.length <= maxPointerLength ? pointer : pointer.slice(0, pointer.lastIndexOf('/', maxPointerLength));
}
