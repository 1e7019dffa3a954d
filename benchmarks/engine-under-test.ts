import { runToEnd } from './campaign-times.ts';
import { processesOf, startInstallation, type ActionType } from './installation.ts';
import type { Stub } from './stub/stub.ts';
import type { LocalInfrastructure } from '../shared/infrastructure/local.ts';

export const country = 'SG';

/** Answer form and latency of the chain's two endpoints, and the concurrent calls of both steps together. */
export interface Variant {
  form: 'full' | 'compact';
  latencyMs: number;
  inFlight: number;
}

export interface EngineUnderTest {
  /** Process ids by name of the process, for the CPU and memory meters. */
  readonly processes: Record<string, () => number[]>;
  readonly databaseUrl: string;
  /** Action types of all variants. */
  readonly actionTypes: readonly string[];
  /** Runs a two-step campaign over `users` users. Resolves with the seconds from its first call to its last answer. */
  runCampaign(users: number, variant: Variant): Promise<number>;
  /**
   * Suspends or resumes the engine's processes. An engine that is not measured is suspended, because even an idle one
   * uses the broker and the database.
   */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
}

export interface EngineOptions {
  infrastructure: LocalInfrastructure;
  stub: Stub;
  variants: readonly Variant[];
  /** Folder of the engine's source; this source tree by default. */
  root?: string;
  /** True if either step may use all concurrent calls of both; otherwise each step has half of them. */
  sharesSlots?: boolean;
}

/** Starts scheduler, trigger, API and one worker as separate processes, as they run in production. */
export async function startEngine(options: EngineOptions): Promise<EngineUnderTest> {
  const { infrastructure, stub, variants, root, sharesSlots = false } = options;
  const actionTypes = actionTypesFor(stub.url, variants, sharesSlots);
  const installation = await startInstallation({
    infrastructure,
    ...(root !== undefined && { root }),
    countries: [country],
    segmentationUrl: stub.url,
    actionTypes,
    partitionsPerShard: 6,
    workerSlots: [Math.max(...variants.map(({ inFlight }) => inFlight))],
  });
  return {
    processes: processesOf(installation, infrastructure),
    databaseUrl: installation.databaseUrl,
    actionTypes: Object.keys(actionTypes),
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

/**
 * Returns a name for each variant and step. Topics and call limits belong to an action type, so each variant has action
 * types of its own.
 */
function actionOf(step: 1 | 2, { form, latencyMs, inFlight }: Variant): string {
  return `step-${step}-${form}-${latencyMs}-${inFlight}`;
}

function actionTypesFor(
  stubUrl: string,
  variants: readonly Variant[],
  sharesSlots: boolean,
): Record<string, ActionType> {
  const types: Record<string, ActionType> = {};
  for (const variant of variants) {
    const { form, latencyMs, inFlight } = variant;
    const url = `${stubUrl}/batches/${form}/${latencyMs}`;
    for (const step of steps) {
      types[actionOf(step, variant)] = { url, answerForm: form, concurrency: sharesSlots ? inFlight : inFlight / 2 };
    }
  }
  return types;
}
