import { z } from 'zod';
import { callUrl, invalidUrl } from '../jobs/jobs.ts';
import { refusals } from '../stated-rules.ts';

/** Scheme of an e-mail address: the message is sent by e-mail, without an HTTP call. */
export const mailScheme = 'mailto:';

const mailAddress = z.email().max(254);

export const notificationUrl = z
  .string()
  .superRefine((text, context) => {
    const read = text.startsWith(mailScheme)
      ? mailAddress.safeParse(text.slice(mailScheme.length))
      : callUrl.safeParse(text);
    for (const { message } of read.error?.issues ?? []) context.addIssue({ ...invalidUrl, message, input: text });
  })
  .meta({
    format: 'uri',
    ...refusals({
      'invalid-url': 'is neither an http:// or https:// URL without a user, nor mailto: and an address',
      'forbidden-address': 'an egress rule forbids the address',
      'no-email': 'the installation sends no e-mail',
      'kind-mismatch':
        'a notification of the kind `email` needs a mailto: URL, and each other kind an http:// or https:// URL',
    }),
  });

/** Returns the e-mail address of a URL; undefined if the URL is called. */
export function mailAddressOf(url: string): string | undefined {
  return url.startsWith(mailScheme) ? url.slice(mailScheme.length) : undefined;
}

export function mailDomainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
