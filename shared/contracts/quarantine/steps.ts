import { z } from 'zod';
import { runStates } from '../../domain/run/run-states.ts';
import { decisionShape, groupShape, itemShape } from './items.ts';

const time = z.iso.datetime({ precision: 3 });

/**
 * `kept`: no person has decided, and the outcome of its users is unknown. `replayed`: a person has reopened the step.
 * `discarded`: the outcome of its users stays unknown.
 */
export const stepStates = ['kept', 'replayed', 'discarded'] as const;

export type StepQuarantineState = (typeof stepStates)[number];

/** HTTP shape of a step that no worker calls any more, because its calls repeatedly ended their workers. */
export const quarantinedStep = itemShape('step', stepStates)
  .extend({
    runId: z.string(),
    runState: z.enum(runStates),
    country: z.string(),
    batchNo: z.int().min(1),
    step: z.int().min(1),
    action: z.string(),
    users: z.int().min(0).describe('Users whose outcome became unknown'),
    lapses: z.int().min(0).describe('Leases that expired after a call had begun'),
    worker: z.string().nullable().describe('Worker with the last lease'),
    replayable: z.boolean().describe('true: the step can be replayed now'),
    whyNot: z.string().nullable().describe('Reason why it cannot be replayed'),
  })
  .meta({ id: 'QuarantinedStep' });

export type QuarantinedStepShape = z.infer<typeof quarantinedStep>;

export const quarantinedStepDetail = quarantinedStep
  .extend({
    idempotencyKey: z.string().describe('Idempotency key of its calls, including later ones'),
    calls: z
      .array(
        z.object({
          at: time,
          worker: z.string().nullable().describe('null if it was not recorded, as for a first call'),
          result: z.string().describe('lost: the lease expired; otherwise the classified answer'),
          cause: z.string().nullable(),
        }),
      )
      .describe('Recorded calls, oldest first'),
    sample: z.array(z.string()).describe('First hundred users whose outcome it made unknown'),
  })
  .meta({ id: 'QuarantinedStepDetail' });

export type QuarantinedStepDetail = z.infer<typeof quarantinedStepDetail>;

export const quarantinedStepGroup = groupShape('step')
  .extend({
    action: z.string(),
    country: z.string(),
    users: z.int().min(0).describe('Users whose outcome became unknown'),
    runs: z.int().describe('Number of runs that the steps belong to'),
  })
  .meta({ id: 'QuarantinedStepGroup' });

export const stepDecision = decisionShape('step', stepStates).meta({ id: 'StepDecision' });
