import { join } from 'node:path';
import { z } from 'zod';
import { startChild } from '../child.ts';

const progressShape = z.array(
  z.object({
    step: z.int(),
    called: z.int(),
    firstCallAt: z.number(),
    lastCallAt: z.number(),
    answered: z.int(),
    lastAnswerAt: z.number().nullable(),
  }),
);

export type StepProgress = z.infer<typeof progressShape>[number];

/**
 * The stub services in a separate process, and the calls that they received. Times are milliseconds of the machine's
 * clock.
 */
export interface Stub {
  readonly url: string;
  readonly pid: number;
  /** Resolves with the number of batch answers sent so far, over all campaigns and steps. */
  answeredInAll(): Promise<number>;
  /** Resolves with the most calls of one campaign under way at once since the last time, over all its steps. */
  takeMostAtOnce(): Promise<number>;
  /** Resolves with the progress of a step; undefined while none of its batches has been called. */
  progress(campaignId: string, step: number): Promise<StepProgress | undefined>;
  /** Resolves with the times at which each batch of a campaign's step was answered, in order. */
  answers(campaignId: string, step: number): Promise<number[]>;
  stop(): Promise<void>;
}

export async function startStub(): Promise<Stub> {
  const child = startChild(join(import.meta.dirname, '../stub-services.ts'));
  const { port } = z.object({ port: z.int() }).parse(await child.receive());
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    answeredInAll: async () => z.int().parse(await child.ask({ ask: 'answered-in-all' })),
    takeMostAtOnce: async () => z.int().parse(await child.ask({ ask: 'most-at-once' })),
    progress: async (campaignId, step) => {
      const steps = progressShape.parse(await child.ask({ ask: 'progress', campaignId }));
      return steps.find((line) => line.step === step);
    },
    answers: async (campaignId, step) =>
      z.array(z.number()).parse(await child.ask({ ask: 'answers', campaignId, step })),
    stop: () => child.stop(),
  };
}
