/** Characters allowed after the host of a URI (RFC 3986); all others must be percent-encoded. */
const afterHost = String.raw`[\w.~!$&'()*+,;=:@/?-]*(?:%[0-9A-Fa-f]{2}[\w.~!$&'()*+,;=:@/?-]*)*`;

/** Excludes port 0, on which no server can listen. */
const notPortZero = String.raw`(?!0+(?:[/?#]|$))`;

const httpUri = new RegExp(
  String.raw`^https?://(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::${notPortZero}\d*)?(?:[/?]${afterHost})?(?:#${afterHost})?$`,
  'i',
);

/** URIs with scheme, host and port in plain ASCII, which are always valid, and without a fragment. */
export const plainHttpUri = new RegExp(
  String.raw`^(https?://[A-Za-z0-9.-]+(?::${notPortZero}\d{1,5})?)(?:[/?]${afterHost})?$`,
);

/**
 * Returns true if a URL is also a URI. URL parsers accept blanks, letters of any script and brackets, but the document
 * promises `format: uri`. A URL with port 0 is refused too.
 */
export function isHttpUri(text: string): boolean {
  return httpUri.test(text);
}

export const noUri =
  'has to be a URI (RFC 3986), with a port above 0 if any: percent-encode other characters, such as %20 for a space';
