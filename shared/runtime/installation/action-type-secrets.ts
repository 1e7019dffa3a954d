import type { ActionTypeConfig } from '../../contracts/endpoints/action-type-config.ts';
import { optionSourcesOf } from '../../domain/endpoint/option-sources.ts';
import { secretNames, type RegisteredActionType, type SecretName } from '../../ports/registry.ts';
import type { SecretBox } from '../configuration/secret-box.ts';

type Addresses = Pick<ActionTypeConfig, 'url' | 'statusUrl' | 'previewUrl' | 'paramsSchema'>;

/** Returns scheme, host and port of every URL that an action type calls, sorted, without duplicates. */
export function originsOf({ url, statusUrl, previewUrl, paramsSchema }: Addresses): string[] {
  const called = [url, statusUrl, previewUrl].flatMap((address) => (address === undefined ? [] : [new URL(address)]));
  const optionUrls = optionSourcesOf(paramsSchema, url).map((source) => source.url);
  return [...new Set([...called, ...optionUrls].map(({ origin }) => origin))].sort();
}

/**
 * Returns the context under which a secret is encrypted. The context of the authorization includes the origins of the
 * URLs. If a URL changes to another origin, the authorization cannot be decrypted, so it is not sent there. Other
 * secrets are never sent.
 */
export function secretPlace(name: string, secret: SecretName, addresses: Addresses): string {
  const place = `action-type:${name}:${secret}`;
  return secret === 'authorization' ? `${place}:${originsOf(addresses).join(',')}` : place;
}

export type OpenedSecrets = Partial<Record<SecretName, string>>;

/** @throws {SecretBoxError} for the first secret that cannot be opened */
export function openSecrets(
  { name, config, secrets }: Pick<RegisteredActionType, 'name' | 'config' | 'secrets'>,
  box: SecretBox,
): OpenedSecrets {
  const opened: OpenedSecrets = {};
  for (const secret of secretNames) {
    const kept = secrets[secret];
    if (kept) opened[secret] = box.open(kept.sealed, secretPlace(name, secret, config));
  }
  return opened;
}
