import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { RegistryReader } from '../../../shared/runtime/installation/registry-reader.ts';
import { catalogueOf } from '../../../shared/runtime/installation/catalogue.ts';

/** Countries and action types that campaigns may use. */
export interface CatalogueReader {
  /** Returns the catalogue as it was last read, about a second ago. */
  current(): Catalogue;
  /**
   * Reads the catalogue again, so that the result is at least as new as the call. Rejects if the database is
   * unavailable.
   */
  refresh(): Promise<Catalogue>;
  /** Returns all action types, including disabled ones, because campaigns that use them continue. */
  registered(): Catalogue['actionTypes'];
}

/**
 * Creates the reader of an installation's countries, action types and currency. Undefined countries mean that all
 * countries are available.
 */
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
