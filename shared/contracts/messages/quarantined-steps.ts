import { z } from 'zod';
import { runStates } from '../../domain/run/run-states.ts';

const time = z.iso.datetime({ precision: 3 });

/**
 * `kept`: no person has decided, and its users are unknown. `replayed`: it was opened again. `discarded`: its users
 * stay unknown.
 */
export const quarantineStates = ['kept', 'replayed', 'discarded'] as const;

export type QuarantineState = (typeof quarantineStates)[number];

/** HTTP shape of a step that is not called for any more, because its calls ended their workers again and again. */
export const quarantinedStep = z
  .object({
    id: z.string(),
    runId: z.string(),
    runState: z.enum(runStates),
    country: z.string(),
    batchNo: z.int().min(1),
    step: z.int().min(1),
    action: z.string(),
    state: z
      .enum(quarantineStates)
      .describe('kept: nobody has decided; replayed: it was opened again; discarded: its users stay unknown'),
    users: z.int().min(0).describe('Whose outcome became unknown'),
    lapses: z.int().min(0).describe('Leases that lapsed with a call begun'),
    worker: z.string().nullable().describe('Of its last lease'),
    since: time,
    decidedAt: time.nullable(),
    replayable: z.boolean().describe('Whether it may be opened again now'),
    whyNot: z.string().nullable().describe('Why it may not'),
  })
  .meta({ id: 'QuarantinedStep' });

export type QuarantinedStepShape = z.infer<typeof quarantinedStep>;

export const quarantinedStepDetail = quarantinedStep
  .extend({
    idempotencyKey: z.string().describe('Of its calls, the next ones too'),
    calls: z
      .array(
        z.object({
          at: time,
          worker: z.string().nullable().describe('null where it was not noted: of a first call'),
          result: z.string().describe('lost: its lease lapsed; or how it was answered'),
          cause: z.string().nullable(),
        }),
      )
      .describe('As far as they were noted, the first one first'),
    users: z.int().min(0),
    sample: z.array(z.string()).describe('The first hundred users that are unknown by it'),
  })
  .meta({ id: 'QuarantinedStepDetail' });

export type QuarantinedStepDetail = z.infer<typeof quarantinedStepDetail>;
