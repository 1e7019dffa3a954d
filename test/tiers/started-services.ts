import path from 'node:path';

const services = ['api', 'trigger', 'worker', 'scheduler', 'dispatcher'] as const;
type Service = (typeof services)[number];

export interface StartedServices {
  /** The services that the test file names: it breaks them, or measures what they do. */
  named: readonly Service[];
  /** All services that run while the test does. */
  started: readonly Service[];
}

/** The module through which tests start services as processes, each from its `services/<name>/main.ts`. */
export const serviceStarter = 'shared/infrastructure/service-process.ts';

/** The defaults of an installation are not a choice of the test. */
const installation = 'test/e2e/installation.ts';

/**
 * Returns the services that a test starts, as its options and those of its helpers name them (`workers: 2`). Imports
 * do not tell: one helper can start every service.
 *
 * @param reached the test file and all that it imports
 */
export function findStartedServices(
  test: string,
  reached: ReadonlySet<string>,
  read: (file: string) => string | undefined,
): StartedServices {
  if (!reached.has(serviceStarter)) return { named: [], started: [] };
  const helpers = [...reached].filter((file) => file.startsWith('test/') && file !== test && file !== installation);
  const own = read(test) ?? '';
  const texts = [own, ...helpers.map((file) => read(file) ?? '')];
  const isAllInOne = own.includes('all-in-one');
  const isSetTo = (service: Service, count: RegExp) =>
    texts.some((text) => new RegExp(`\\b${service}s: ${count.source}`).test(text));
  const isStarted = (service: Service) => {
    if (isAllInOne || service === 'api' || isSetTo(service, /[1-9]/)) return true;
    return (service === 'trigger' || service === 'scheduler') && !isSetTo(service, /0/);
  };
  const isNamed = (service: Service) =>
    new RegExp(`\\b${service}s?\\b`, 'i').test(`${path.basename(test)}\n${own}`) && service !== 'api';
  const started = services.filter(isStarted);
  return { named: started.filter(isNamed), started };
}

export function mainOf(service: Service): string {
  return `services/${service}/main.ts`;
}
