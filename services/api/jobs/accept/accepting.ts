import type { Clock } from '../../../../shared/ports/clock.ts';
import type { JobIntake } from '../../../../shared/ports/job-intake.ts';
import type { Meter } from '../../../../shared/ports/meter.ts';
import type { Tracing } from '../../../../shared/ports/tracing.ts';
import type { SecretBox } from '../../../../shared/runtime/configuration/secret-box.ts';
import type { ClientReader } from '../../../../shared/runtime/installation/client-reader.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import type { AcceptJobsDeps } from './accept-jobs.ts';
import { createJobAdmission } from './admit-jobs.ts';
import type { ClientEgress } from '../../clients/client-egress.ts';
import { createClientUsage, type ClientUsageDeps } from '../../clients/client-usage.ts';
import { createJobAcceptor } from './job-acceptor.ts';
import { createJobCapacity } from './job-capacity.ts';
import { createKeyRates, type KeyRatesDeps } from './key-rates.ts';
import { createMinuteLoads, type MinuteLoadsDeps } from '../../installation/scheduler/minute-loads.ts';

export interface AcceptingDeps {
  clients: ClientReader;
  intake: JobIntake;
  figures: ClientUsageDeps['figures'] & MinuteLoadsDeps['figures'];
  secretBox: SecretBox;
  egress: ClientEgress;
  /** Exchanges with other processes how much of their own rate limits keys have used. */
  exchangeKeyRates: KeyRatesDeps['exchange'];
  /** Id of this process. */
  owner: string;
  clock: Clock;
  logger: Logger;
  meter?: Meter | undefined;
  tracing?: Tracing | null | undefined;
}

export interface Accepting extends AcceptJobsDeps {
  start(): void;
  stop(): Promise<void>;
}

export function createAccepting(deps: AcceptingDeps): Accepting {
  const { clients, intake, figures, secretBox, egress, owner, clock, logger, meter, tracing } = deps;
  const keyRates = createKeyRates({ exchange: deps.exchangeKeyRates, clock, logger });
  const usage = createClientUsage({ figures, clock, logger });
  const room = createJobCapacity({ usage, keyRates });
  const loads = createMinuteLoads({ figures, clock, logger });
  return {
    admission: createJobAdmission({ clients, room, secretBox, egress, clock }),
    acceptor: createJobAcceptor({ intake, owner, clock, logger, meter }),
    room,
    loads,
    clock,
    tracing,
    start: () => {
      keyRates.start();
      usage.start();
      loads.start();
    },
    stop: async () => {
      await Promise.all([keyRates.stop(), usage.stop(), loads.stop()]);
    },
  };
}
