import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { RegistryReader } from '../../../shared/runtime/installation/registry-reader.ts';
import { catalogueOf } from '../../../shared/runtime/installation/catalogue.ts';

/** What campaigns may ask for. */
export interface CatalogueReader {
  /** As of the last look, which is about a second ago. */
  current(): Catalogue;
  /** At least as new as this call. Rejects when the store does not answer. */
  refresh(): Promise<Catalogue>;
  /** All types as of the last look, disabled ones too: what began with them goes on. */
  registered(): Catalogue['actionTypes'];
}

/** What an installation allows: the countries of the engine's file, all unless given, and its currency. */
export function createCatalogueReader(
  registry: Pick<RegistryReader, 'current' | 'refresh'>,
  { countries, currency }: Pick<Catalogue, 'countries' | 'currency'>,
): CatalogueReader {
  const ofInstallation = currency === undefined ? {} : { currency };
  return {
    current: () => {
      const known = registry.current();
      return { ...(known ? catalogueOf(known, countries) : { countries, actionTypes: {} }), ...ofInstallation };
    },
    registered: () =>
      Object.fromEntries((registry.current()?.actionTypes ?? []).map(({ name, config }) => [name, config])),
    refresh: async () => ({ ...catalogueOf(await registry.refresh(), countries), ...ofInstallation }),
  };
}
