/** What may stand behind the host of a URI (RFC 3986); anything else has to be written with %. */
const behindHost = String.raw`[\w.~!$&'()*+,;=:@/?-]*(?:%[0-9A-Fa-f]{2}[\w.~!$&'()*+,;=:@/?-]*)*`;

/** Nothing listens at port 0. */
const notPortZero = String.raw`(?!0+(?:[/?#]|$))`;

const httpUri = new RegExp(
  String.raw`^https?://(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::${notPortZero}\d*)?(?:[/?]${behindHost})?(?:#${behindHost})?$`,
  'i',
);

/** Scheme, host and port in plain letters alone, and no fragment: no such text is invalid for what those are. */
export const plainHttpUri = new RegExp(
  String.raw`^(https?://[A-Za-z0-9.-]+(?::${notPortZero}\d{1,5})?)(?:[/?]${behindHost})?$`,
);

/**
 * Whether a URL is a URI as well: parsers of URLs take blanks, letters of any script and brackets, and the document
 * promises `format: uri`. A URL with port 0 is none either.
 */
export function isHttpUri(text: string): boolean {
  return httpUri.test(text);
}

export const noUri =
  'has to be a URI (RFC 3986) with a port above 0, if any: write what none may hold with %, such as %20 for a blank';
