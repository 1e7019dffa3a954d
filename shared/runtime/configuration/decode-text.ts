/** Byte order marks of UTF-16. Windows PowerShell 5 writes such files. */
const marks = [
  { encoding: 'utf-16le', bytes: Buffer.from([0xff, 0xfe]) },
  { encoding: 'utf-16be', bytes: Buffer.from([0xfe, 0xff]) },
] as const;

/**
 * Decodes a file written by a person, without its byte order mark (RFC 8259 section 8.1 lets JSON parsers ignore it).
 * The encoding is UTF-8, or UTF-16 if the file begins with its mark.
 * @throws {TypeError} if the bytes are not in that encoding: a decoder that replaces them would return another text
 */
export function decodeText(content: Buffer): string {
  const encoding = marks.find(({ bytes }) => content.subarray(0, bytes.length).equals(bytes))?.encoding ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(content);
  } catch (error) {
    throw new TypeError(`the text is not encoded in ${encoding.toUpperCase()}`, { cause: error });
  }
}
