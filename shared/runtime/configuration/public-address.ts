import { z } from 'zod';

/** Where people reach the API, as far as the configuration says so: behind a proxy it cannot know that. */
export interface PublicAddress {
  /** Such as `https://muster.example.com`. */
  origin: string;
  /** Below which everything is: empty, or such as `/muster`. */
  basePath: string;
}

const pathPattern = /^(\/[A-Za-z0-9._~-]+)*$/;

/** Undefined when it is no address of ours: http or https, a path of plain parts, and nothing else. */
export function publicAddressOf(text: string): PublicAddress | undefined {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  const basePath = url.pathname.replace(/\/+$/, '');
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain && pathPattern.test(basePath) ? { origin: url.origin, basePath } : undefined;
}

/** `API_PUBLIC_URL`. */
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
      'The address that people use when a proxy stands before the API: [behind a proxy](../configuration.md#behind-a-proxy)',
    usual: 'where it listens',
  });
