/**
 * Maximum characters of a pointer. A hundred problems below one long name would otherwise make the response much longer
 * than the body.
 */
const maxPointerLength = 1000;

/** Returns a JSON pointer (RFC 6901). Beyond 1,000 characters, that of the nearest surrounding value that fits. */
export function pointerOf(path: readonly PropertyKey[]): string {
  let pointer = '';
  for (const key of path) {
    const name = String(key);
    // The name counts without escapes, because escapes only make it longer.
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
