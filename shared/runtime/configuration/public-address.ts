import { z } from 'zod';

/** Public address of the API, from the configuration: behind a proxy the API cannot detect it. */
export interface PublicAddress {
  /** Origin of the address, such as `https://muster.example.com`. */
  origin: string;
  /** Prefix of all paths: empty, or such as `/muster`. */
  basePath: string;
}

const pathPattern = /^(\/[A-Za-z0-9._~-]+)*$/;

/** Parses an http or https address with a plain path. Returns undefined for any other text. */
export function publicAddressOf(text: string): PublicAddress | undefined {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  const basePath = url.pathname.replace(/\/+$/, '');
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain && pathPattern.test(basePath) ? { origin: url.origin, basePath } : undefined;
}

/** Schema of `API_PUBLIC_URL`. */
export const publicUrl = z
  .string()
  .transform((text, context) => {
    const address = publicAddressOf(text);
    if (address) return address;
    context.addIssue('has to be an address such as https://muster.example.com or https://example.com/muster');
    return z.NEVER;
  })
  .optional()
  .meta({
    description:
      'Public address if a proxy is in front of the API: [behind a proxy](../configuration.md#behind-a-proxy)',
    usual: 'the listening address',
  });
