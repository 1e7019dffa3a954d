import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { mailAddressOf, mailDomainOf } from '../../../shared/contracts/notifications/notification-urls.ts';
import { clientDefinition } from '../../../shared/contracts/jobs/clients.ts';
import { defaultTerms, type DefaultTerms, type EgressRule } from '../../../shared/contracts/jobs/endpoint-terms.ts';
import { clientKeyContext } from '../../../shared/domain/job/job-ids.ts';
import type { MailSettings } from '../../../shared/runtime/configuration/mail-settings.ts';
import type { SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import { createClientGuard, type RuleList } from '../../../shared/runtime/egress/address-guard.ts';
import { sealCall } from '../../../shared/runtime/installation/call-secrets.ts';
import { forbiddenAddress, HttpProblem, invalidRequest } from '../frame/http-problem.ts';
import { sealing } from '../frame/sealing.ts';

/**
 * Limits of a notification's client. A delivery whose last attempt fails becomes a dead job, which is kept for a month.
 */
export const notificationClient = clientDefinition.parse({ deadJobsDays: 30 });

/**
 * Returns the terms of a notification's calls: retries over hours with growing delays. A host that does not answer is
 * sidelined.
 */
export function callTerms(url: string, allow: readonly EgressRule[]): DefaultTerms {
  return defaultTerms.parse({
    concurrency: 10,
    retry: { strategy: 'exponential', attempts: 12, firstDelayMs: 5000, maxDelayMs: 3_600_000 },
    sideline: { afterFailures: 5 },
    // The path of a URL is stored encrypted, because many webhooks have their credential in the path.
    sealPaths: true,
    egress: { allow },
    ...(mailAddressOf(url) !== undefined && { finalCodes: refusedMail }),
  });
}

/** Status codes with which mail servers permanently refuse an address or a message (RFC 5321, 7504). */
const refusedMail = [550, 551, 553, 554, 556];

export interface SealTerms {
  secretBox: SecretBox;
  /** Settings for sending email; undefined if no email is sent. */
  mail: MailSettings | undefined;
  installationEgress: RuleList;
}

/**
 * Returns a URL in its stored form.
 * @throws {HttpProblem} 422 if the target is not allowed, 409 if this process cannot store secrets or sends no email
 */
export function storedUrl(
  notificationId: string,
  url: string,
  allow: readonly EgressRule[],
  { secretBox, installationEgress, mail }: SealTerms,
): string {
  const address = mailAddressOf(url);
  if (address !== undefined) return checkedAddress(url, address, mail);
  const cause = createClientGuard(installationEgress, allow, 'notification').whyNot(new URL(url));
  if (cause !== null) throw invalidRequest([forbiddenAddress('/url', url, cause)]);
  return sealing(() => sealCall({ url, headers: null }, { clientId: notificationId, sealPaths: true }, secretBox)).url;
}

function checkedAddress(url: string, address: string, mail: MailSettings | undefined): string {
  if (!mail) {
    const detail = 'no e-mail is sent from this installation: SMTP_URL and SMTP_FROM set it up';
    throw new HttpProblem({ status: 409, code: 'no-email', detail });
  }
  if (mail.domains.includes(mailDomainOf(address))) return url;
  const cause = `no e-mail is sent to ${mailDomainOf(address)}: SMTP_DOMAINS allows ${mail.domains.join(', ')}`;
  throw invalidRequest([forbiddenAddress('/url', url, cause)]);
}

const secretBytes = 32;

/**
 * Returns a new signing secret and its stored form.
 * @throws {HttpProblem} 409 if this process cannot store secrets
 */
export function newSigningKey(notificationId: string, secretBox: SecretBox) {
  const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`;
  const keyId = uuidv7();
  const { sealed } = sealing(() => secretBox.seal(secret, clientKeyContext(notificationId, keyId)));
  return { secret, key: { keyId, sealed } };
}
