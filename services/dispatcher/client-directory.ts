import type { KeyObject } from 'node:crypto';
import { clientKeyContext } from '../../shared/domain/job/job-ids.ts';
import { signWebhook, webhookKeyOf } from '../../shared/domain/endpoint/standard-webhooks.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { CallEndpoint } from '../../shared/runtime/installation/call-endpoints.ts';
import type { ClientReader } from '../../shared/runtime/installation/client-reader.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { SecretBoxError, type SecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import { openClientAuth, openClientTls, unusableAuth } from './call/client-auth.ts';
import type { CallbackEndpoint, CallLimits } from './ports/callback-endpoint.ts';
import type { ClientDirectory, ClientTerms } from './ports/client-terms.ts';

export interface ClientDirectoryDeps {
  reader: Pick<ClientReader, 'current'>;
  secretBox: Pick<SecretBox, 'open'>;
  tokenEndpoint: CallbackEndpoint;
  clock: Clock;
  logger: Logger;
}

interface OpenedKey {
  key: KeyObject;
  expiresAt: Date | null;
}

/** Creates the directory of the current clients' call terms. Secrets are decrypted once per revision of a client. */
export function createClientDirectory(deps: ClientDirectoryDeps): ClientDirectory {
  const { reader, secretBox, tokenEndpoint, clock, logger } = deps;
  /** Terms by endpoint of a client. They are rebuilt when the revision of the client changes. */
  const made = new Map<string, { revision: number; terms: ClientTerms }>();

  function openKeys({ clientId, name, keys }: CallEndpoint): OpenedKey[] {
    return keys.flatMap(({ keyId, sealed, expiresAt }) => {
      try {
        const key = webhookKeyOf(secretBox.open(sealed, clientKeyContext(clientId, keyId)));
        if (!key) throw new Error('it is no secret of a webhook');
        return [{ key, expiresAt }];
      } catch (error) {
        // The call is sent without this signature. A receiver that verifies signatures refuses the call, and the job is
        // retried.
        logger.error({ err: error, client: name, keyId }, 'a signing key cannot be opened, nothing is signed with it');
        return [];
      }
    });
  }

  function openAuth({ clientId, name, auth }: CallEndpoint, limits: CallLimits): Pick<ClientTerms, 'auth' | 'limits'> {
    if (!auth) return { auth, limits };
    try {
      return auth.kind === 'mtls'
        ? { auth: null, limits: { ...limits, tls: openClientTls(auth, clientId, secretBox) } }
        : { auth: openClientAuth(auth, clientId, limits, { secretBox, tokenEndpoint, clock }), limits };
    } catch (error) {
      // OpenSSL's error message is not logged, in case it contains parts of the key.
      const fault = error instanceof SecretBoxError ? error.fault : 'cannot be read';
      logger.error(
        { client: name, fault },
        'the credentials of an endpoint cannot be used, nothing is called with them',
      );
      return { auth: unusableAuth(auth, `the credentials of its endpoint cannot be opened: ${fault}`), limits };
    }
  }

  function make(endpoint: CallEndpoint): ClientTerms {
    const { endpointId, clientId, revision, keepsBodies, heldBecause: pauseReason } = endpoint;
    const opened = openKeys(endpoint);
    const { publishRatePerSecond, concurrency, timeoutMs, egress, retry, sideline, onGone, finalCodes } =
      endpoint.terms;
    const { reportWithinSeconds } = endpoint.terms;
    const limits = { clientId: endpointId, revision, concurrency, timeoutMs, egress: egress.allow };
    return {
      ...openAuth(endpoint, limits),
      ratePerSecond: publishRatePerSecond,
      ownerId: clientId,
      pauseReason,
      onGone,
      keepsBodies,
      retries: retry,
      finalCodes,
      reportWithinMs: reportWithinSeconds === undefined ? null : reportWithinSeconds * 1000,
      sideline: { ...sideline, probeEveryMs: sideline.probeSeconds * 1000 },
      sign: (webhookId, timestamp, body) => {
        const nowMs = timestamp * 1000;
        const valid = opened.filter(({ expiresAt }) => expiresAt === null || expiresAt.getTime() > nowMs);
        return valid.map(({ key }) => signWebhook(key, webhookId, timestamp, body));
      },
    };
  }

  return {
    termsOf: (clientId) => {
      const endpoint = reader.current()?.endpoints.get(clientId);
      if (!endpoint) return undefined;
      const before = made.get(clientId);
      if (before?.revision === endpoint.revision) return before.terms;
      const terms = make(endpoint);
      made.set(clientId, { revision: endpoint.revision, terms });
      return terms;
    },
  };
}
