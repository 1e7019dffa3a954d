import type { Clock } from '../../../shared/ports/clock.ts';
import { createHostNames } from '../../../shared/http-client/host-names.ts';
import { createClientSource } from '../../../shared/postgres/registry/clients.ts';
import { poolSizes } from '../../../shared/postgres/connection/connections.ts';
import { createChangeFeed } from '../../../shared/postgres/connection/change-feed.ts';
import { createPool, createUploadPool, type PoolDeps } from '../../../shared/postgres/connection/pool.ts';
import { createRegistrySource } from '../../../shared/postgres/registry/registry.ts';
import { createEgressGuard, type EgressGuard } from '../../../shared/runtime/egress/address-guard.ts';
import { createClientReader, type ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import type { ProcessContext } from '../../../shared/runtime/process/process.ts';
import { createRegistryReader, type RegistryReader } from '../../../shared/runtime/installation/registry-reader.ts';
import type { ApiConfig } from './config.ts';
import { createCatalogueReader, type CatalogueReader } from './catalogue-reader.ts';
import { createIdempotentRequests, type IdempotentRequests } from './postgres/idempotent-requests.ts';

/**
 * Parts of the process that all folders of the API use: connection pools, readers of registered objects, and the
 * configuration.
 */
export interface BaseParts extends Pick<ProcessContext, 'logger' | 'meter' | 'tracing' | 'environment' | 'onClose'> {
  config: ApiConfig;
  /** Host on which the API listens. The field is separate from the configuration, so that a test can replace it. */
  host: string;
  /** Port on which the API listens; 0 chooses any free port. */
  port: number;
  publicAddress: ApiConfig['publicAddress'];
  docs: ApiConfig['docs'];
  quotas: ApiConfig['quotas'];
  secretBox: ApiConfig['secretBox'];
  mail: ApiConfig['mail'];
  currency: ApiConfig['currency'];
  installation: { name: string | null; zone: string };
  clock: Clock;
  pool: ReturnType<typeof createPool>;
  /** Connections for exports and reports. They are separate, so that ordinary statements never wait for these. */
  heavyPool: ReturnType<typeof createPool>;
  /** Connections for uploads. An upload holds a connection or runs long statements while its file arrives. */
  uploadPool: ReturnType<typeof createPool>;
  poolOptions: (name: ApiPool) => PoolDeps;
  registry: RegistryReader;
  clients: ClientReader;
  catalogue: CatalogueReader;
  idempotency: IdempotentRequests;
  /** Egress rules and name resolution for addresses that operators configure. */
  egress: { guard: EgressGuard; names: ReturnType<typeof createHostNames> };
  /**
   * Registers a function that runs at the start of the process, after the first check of the database and before the
   * first request. The functions run in the order of their registration.
   */
  onStart: (start: () => void) => void;
  start: () => void;
}

/** Suffixes in the names of the API's other pools; each full name begins with `muster-api-`. */
type ApiPool = keyof typeof poolSizes.api extends infer Name
  ? Name extends `muster-api-${infer Rest}`
    ? Rest
    : never
  : never;

export interface BaseContext extends Pick<ProcessContext, 'logger' | 'meter' | 'environment' | 'onClose'> {
  /** Tracing of the process; null or undefined if tracing is off. */
  tracing?: ProcessContext['tracing'];
  clock: Clock;
}

export function createBaseParts(config: ApiConfig, context: BaseContext): BaseParts {
  const { clock, logger, meter, tracing = null, environment, onClose } = context;
  const starts: (() => void)[] = [];
  const connection = { connectionString: config.databaseUrl, logger, meter };
  const own = { applicationName: 'muster-api', max: poolSizes.api['muster-api'] };
  const pool = onClose(createPool({ ...connection, ...own }), (opened) => opened.end());
  const heavy = { applicationName: 'muster-api-heavy', max: poolSizes.api['muster-api-heavy'] };
  const heavyPool = onClose(createPool({ ...connection, ...heavy }), (opened) => opened.end());
  const uploads = { applicationName: 'muster-api-uploads', max: poolSizes.api['muster-api-uploads'] };
  const uploadPool = onClose(createUploadPool({ ...connection, ...uploads }), (opened) => opened.end());
  const changes = onClose(createChangeFeed({ ...connection, applicationName: 'muster-api', clock }), (opened) =>
    opened.stop(),
  );
  const registry = onClose(
    createRegistryReader({ registry: createRegistrySource({ pool }), changes, clock, logger }),
    (reader) => reader.stop(),
  );
  const clients = onClose(
    createClientReader({ clients: createClientSource({ pool }), changes, clock, logger }),
    (reader) => reader.stop(),
  );
  starts.push(() => changes.start());
  starts.push(() => registry.start());
  starts.push(() => clients.start());
  return {
    config,
    host: config.host,
    port: config.port,
    publicAddress: config.publicAddress,
    docs: config.docs,
    quotas: config.quotas,
    secretBox: config.secretBox,
    mail: config.mail,
    currency: config.currency,
    installation: { name: config.installationName ?? null, zone: config.zone },
    clock,
    logger,
    meter,
    tracing,
    environment,
    onClose,
    pool,
    heavyPool,
    uploadPool,
    poolOptions: (name) => {
      const applicationName = `muster-api-${name}` as const;
      return { ...connection, applicationName, max: poolSizes.api[applicationName] };
    },
    registry,
    clients,
    catalogue: createCatalogueReader(registry, { countries: config.engine.countries, currency: config.currency }),
    idempotency: createIdempotentRequests({ pool }),
    egress: {
      guard: createEgressGuard([config.egress]),
      names: onClose(createHostNames({ clock }), (names) => names.close()),
    },
    onStart: (start) => void starts.push(start),
    start: () => starts.forEach((start) => start()),
  };
}
