import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { RegistryReader } from '../../../shared/runtime/installation/registry-reader.ts';
import { catalogueOf } from '../../../shared/runtime/installation/catalogue.ts';

/** Countries and action types that campaigns may use. */
export interface CatalogueReader {
  /** Returns the catalogue of the last read, about a second ago. */
  current(): Catalogue;
  /** Returns a catalogue at least as new as this call. Rejects if the database is unavailable. */
  refresh(): Promise<Catalogue>;
  /** Returns all action types, also disabled ones, because campaigns that began with them continue. */
  registered(): Catalogue['actionTypes'];
}

/** Creates the reader of an installation's countries (all if undefined), action types and currency. */
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
