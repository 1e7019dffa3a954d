import type { Catalogue } from '../../contracts/endpoints/engine-config.ts';
import type { Registry } from '../../ports/registry.ts';

/** Returns the enabled action types of the registry, and the countries of the engine's file. */
export function catalogueOf(registry: Registry, countries: Catalogue['countries']): Catalogue {
  const enabled = registry.actionTypes.filter((type) => type.enabled);
  return { countries, actionTypes: Object.fromEntries(enabled.map(({ name, config }) => [name, config])) };
}
