import type { Catalogue } from '../../contracts/endpoints/engine-config.ts';
import type { Registry } from '../../ports/registry.ts';

/**
 * What campaigns may ask for now: the enabled types of the registry, in the countries that the engine's file allows.
 */
export function catalogueOf(registry: Registry, countries: Catalogue['countries']): Catalogue {
  const enabled = registry.actionTypes.filter((type) => type.enabled);
  return { countries, actionTypes: Object.fromEntries(enabled.map(({ name, config }) => [name, config])) };
}
