import { createWorker } from '../../services/worker/assemble-worker.ts';
import type { Worker } from '../../services/worker/worker.ts';
import type { WorkerDeps } from '../../services/worker/worker-deps.ts';
import { createWorkerFixture, type WorkerFixtureOptions } from './worker-fixture.ts';

/** Creates a worker that takes work, with all its surroundings in memory. */
export async function createRunningWorker(
  options: WorkerFixtureOptions = {},
  change: (deps: WorkerDeps) => Partial<WorkerDeps> = () => ({}),
) {
  const fixture = createWorkerFixture(options);
  const deps = fixture.workerDeps('a');
  const worker = createWorker({ ...deps, ...change(deps) });
  await worker.start();
  return { ...fixture, worker };
}

export async function stopWorker(worker: Worker): Promise<void> {
  await worker.stopIntake();
  await worker.finishWork();
  await worker.close();
}
