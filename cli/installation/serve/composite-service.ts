import type { Service } from '../../../shared/runtime/process/service.ts';

/**
 * Combines services. All stop their intake before any finishes its work. Each step runs from the last service to the
 * first, as later services depend on earlier ones.
 */
export function compositeService(services: readonly Service[]): Service {
  const backwards = services.toReversed();
  const inTurn = async (step: (service: Service) => Promise<void>) => {
    for (const service of backwards) await step(service);
  };
  const broken = services.flatMap((service) => (service.broken ? [service.broken] : []));
  return {
    ready: () => services.every((service) => service.ready()),
    stopIntake: () => inTurn((service) => service.stopIntake()),
    finishWork: () => inTurn((service) => service.finishWork()),
    close: () => inTurn((service) => service.close()),
    ...(broken.length === 0 ? {} : { broken: Promise.race(broken) }),
  };
}
