import type { Service } from '../../shared/runtime/process/service.ts';

/**
 * Several services as one. All stop taking work in before any finishes its own, and each step goes through them from
 * the last to the first: who was started later leans on who was started before.
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
