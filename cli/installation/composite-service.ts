import type { Service } from '../../shared/runtime/process/service.ts';

export interface Member {
  /** Stands before the names of its parts. */
  name: string;
  service: Service;
}

/**
 * Several services as one. All stop taking work in before any finishes its own, and each step goes through them from
 * the last to the first: who was started later leans on who was started before.
 */
export function compositeService(members: readonly Member[]): Service {
  const services = members.map(({ service }) => service);
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
    parts: Object.fromEntries(
      members.flatMap(({ name, service }) =>
        Object.entries(service.parts ?? {}).map(([part, check]) => [`${name}.${part}`, check]),
      ),
    ),
    ...(broken.length === 0 ? {} : { broken: Promise.race(broken) }),
  };
}
