import { actionTypeConfig } from '../../shared/contracts/endpoints/action-type-config.ts';
import type { RegisteredActionType, SecretName } from '../../shared/ports/registry.ts';
import { readInstallationEgress } from '../../shared/runtime/configuration/installation-egress.ts';
import { createSecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import { createEgressGuard } from '../../shared/runtime/egress/address-guard.ts';
import { secretPlace } from '../../shared/runtime/installation/action-type-secrets.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';

/** Secret of the test vectors that Standard Webhooks publishes. */
export const someSigningSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const secretBox = createSecretBox([Buffer.alloc(32, 7)]);

/**
 * Dependencies of requests to endpoints of action types. Every name resolves to the address of the cloud metadata
 * service.
 */
export const typeEndpointsDeps = {
  egress: {
    guard: createEgressGuard([readInstallationEgress({})]),
    names: { addressesOf: () => Promise.resolve(['169.254.169.254']), close: () => undefined },
  },
  secretBox,
  environment: { REWARDS_AUTHORIZATION: 'Bearer of the environment' },
  clock: systemClock,
};

/** Returns the action type `award-reward` of class A with its batch endpoint below a base URL. */
export function registeredTypeAt(
  base: string,
  secrets: Partial<Record<SecretName, string>> = {},
  more: object = {},
): RegisteredActionType {
  const config = actionTypeConfig.parse({ url: `${base}/v1/batches`, class: 'A', ...more });
  const sealed = (secret: SecretName) => {
    const text = secrets[secret];
    if (text === undefined) return {};
    const place = secretPlace('award-reward', secret, config);
    return { [secret]: { sealed: secretBox.seal(text, place).sealed, changedAt: new Date(0) } };
  };
  return {
    name: 'award-reward',
    revision: 1,
    enabled: true,
    origin: 'api',
    config,
    secrets: { ...sealed('authorization'), ...sealed('signing') },
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
}
