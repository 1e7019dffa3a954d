import type { Catalogue } from '../../contracts/endpoints/engine-config.ts';
import type { Registry } from '../../ports/registry.ts';

/**
 * Returns the action types and countries open to campaigns: enabled types of the registry, and countries of the
 * engine's file.
 */
export function catalogueOf(registry: Registry, countries: Catalogue['countries']): Catalogue {
  const enabled = registry.actionTypes.filter((type) => type.enabled);
  return { countries, actionTypes: Object.fromEntries(enabled.map(({ name, config }) => [name, config])) };
}
