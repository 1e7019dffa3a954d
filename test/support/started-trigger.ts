import { compareUserIds } from '../../shared/domain/ids/user-id.ts';
import { createTriggerFixture } from './trigger-fixture.ts';
import { createTrigger, type TriggerDeps } from '../../services/trigger/trigger.ts';

export type World = ReturnType<typeof createTriggerFixture>;

export function startTrigger(
  world: World,
  owner: string,
  change: (deps: TriggerDeps) => Partial<TriggerDeps> = () => ({}),
) {
  const deps = world.triggerDeps(owner);
  const trigger = createTrigger({ ...deps, ...change(deps) });
  trigger.start();
  return trigger;
}

export function setUp(users: string[], change?: (deps: TriggerDeps) => Partial<TriggerDeps>) {
  const world = createTriggerFixture();
  world.segmentation.users.set('SG', users.toSorted(compareUserIds));
  const trigger = startTrigger(world, 'a', change);
  return {
    ...world,
    world,
    trigger,
    feed: () => world.feedRows()[0],
    isFed: () => world.feedRows()[0]?.complete === true,
  };
}
