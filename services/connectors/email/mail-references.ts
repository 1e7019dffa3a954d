import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** Identifies the mail of one user in one step of a run. */
export interface MailReference {
  run: string;
  step: number;
  country: string;
  user: string;
}

/**
 * Use of a signed reference. `message`: the Message-ID. `unsubscribe`: the link to unsubscribe. A reference signed for
 * one purpose is not valid for the other.
 */
export type ReferencePurpose = 'message' | 'unsubscribe';

/**
 * Signs references in Message-IDs and links with HMAC-SHA256. Equal references have equal signatures, so a repeated
 * mail has the same Message-ID. Signed references do not expire. Recipients of a mail can read the user id in them.
 */
export interface MailReferences {
  sign(purpose: ReferencePurpose, reference: MailReference): string;
  /**
   * Returns the reference; undefined if the text was not signed for this purpose and action with one of the secrets.
   */
  read(purpose: ReferencePurpose, text: string): MailReference | undefined;
}

const content = z.tuple([z.string(), z.int().min(1), z.string(), z.string()]);
/** Bytes of the signature, half of the digest: 128 bits cannot be guessed, and keep the Message-ID short. */
const signatureBytes = 16;

/** @param secrets the first one signs; references signed with the further ones (former secrets) are still accepted */
export function createMailReferences(secrets: readonly [string, ...string[]], action: string): MailReferences {
  const [current] = secrets;
  const signatureOf = (secret: string, purpose: ReferencePurpose, payload: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([purpose, action, payload]))
      .digest()
      .subarray(0, signatureBytes);

  return {
    sign: (purpose, { run, step, country, user }) => {
      const payload = Buffer.from(JSON.stringify([run, step, country, user])).toString('base64url');
      return `${payload}.${signatureOf(current, purpose, payload).toString('base64url')}`;
    },
    read: (purpose, text) => {
      const [payload = '', signature = ''] = text.split('.');
      const offered = Buffer.from(signature, 'base64url');
      if (offered.length !== signatureBytes) return undefined;
      if (!secrets.some((secret) => timingSafeEqual(offered, signatureOf(secret, purpose, payload)))) return undefined;
      const [run, step, country, user] = content.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
      return { run, step, country, user };
    },
  };
}
