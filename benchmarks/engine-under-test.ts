import { runToEnd } from './campaign-times.ts';
import { processesOf, startInstallation, type ActionType } from './installation.ts';
import type { Stub } from './stub/stub.ts';
import type { LocalInfrastructure } from '../shared/infrastructure/local.ts';

const country = 'SG';

/** How a chain's two endpoints answer, and how many calls of both steps together are in flight. */
export interface Variant {
  form: 'full' | 'compact';
  latencyMs: number;
  inFlight: number;
}

export interface EngineUnderTest {
  /** Process ids by name, for the meters. */
  readonly processes: Record<string, () => number[]>;
  readonly databaseUrl: string;
  /** Runs a two-step campaign over `users` users; seconds from its first call to its last answer. */
  runCampaign(users: number, variant: Variant): Promise<number>;
  /**
   * Stops its processes where they are, or lets them go on: an engine that waits costs broker and database something
   * too.
   */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
}

export interface EngineOptions {
  infrastructure: LocalInfrastructure;
  stub: Stub;
  variants: readonly Variant[];
  /** Where the engine's source lies; this tree unless said otherwise. */
  root?: string;
}

/** Scheduler, trigger, api and one worker as processes of their own, as they run in production. */
export async function startEngine({ infrastructure, stub, variants, root }: EngineOptions): Promise<EngineUnderTest> {
  const installation = await startInstallation({
    infrastructure,
    ...(root !== undefined && { root }),
    countries: [country],
    segmentationUrl: stub.url,
    actionTypes: actionTypesFor(stub.url, variants),
    partitionsPerShard: 6,
    workerSlots: [Math.max(...variants.map(({ inFlight }) => inFlight))],
  });
  return {
    processes: processesOf(installation, infrastructure),
    databaseUrl: installation.databaseUrl,
    runCampaign: (users, variant) => {
      const chain = steps.map((step) => ({ action: actionOf(step, variant), params: { rewardId: 'ride-5' } }));
      const campaign = { name: `${users} users`, countries: [country], segment: String(users), chain };
      return runToEnd(installation, stub, campaign, users);
    },
    signal: (signal) => {
      for (const service of ['worker', 'trigger', 'scheduler', 'api'] as const)
        for (const pid of installation.services.pids(service)) process.kill(pid, signal);
    },
    stop: () => installation.stop(),
  };
}

const steps = [1, 2] as const;

/** A variant's topics and call limits are its own, so its action types are too. */
function actionOf(step: 1 | 2, { form, latencyMs, inFlight }: Variant): string {
  return `step-${step}-${form}-${latencyMs}-${inFlight}`;
}

function actionTypesFor(stubUrl: string, variants: readonly Variant[]): Record<string, ActionType> {
  const types: Record<string, ActionType> = {};
  for (const variant of variants) {
    const { form, latencyMs, inFlight } = variant;
    const url = `${stubUrl}/batches/${form}/${latencyMs}`;
    for (const step of steps) {
      types[actionOf(step, variant)] = { url, answerForm: form, concurrency: inFlight / 2 };
    }
  }
  return types;
}
