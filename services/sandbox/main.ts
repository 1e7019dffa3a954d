import { requireSignature } from '../../shared/domain/endpoint/require-signature.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { listening } from '../../shared/runtime/process/listening.ts';
import { defineProcess, isEntry, runProcess } from '../../shared/runtime/process/process.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { createAnswersByKey } from './effects/answers-by-key.ts';
import { createBatchService } from './batch-service.ts';
import { fractionOf, topicOf, type ServiceName } from './wire/chance.ts';
import { readConfig, type SandboxConfig } from './config.ts';
import type { EffectStore } from './effects/effects.ts';
import { createFaultSwitches, type FaultSwitches } from './faults/fault-switches.ts';
import { noLedger, openLedger } from './ledger/ledger-writer.ts';
import { createOutcomesByUser } from './effects/outcomes-by-user.ts';
import { createReceiptSender, type ReceiptSender } from './receipt-sender.ts';
import { createResultsByUser } from './effects/results-by-user.ts';
import { createRewardsInPostgres } from './effects/rewards-in-postgres.ts';
import { createSandbox } from './sandbox.ts';
import { createSegmentationService } from './segmentation-service.ts';
import { createSegments } from './segments.ts';
import { createWithoutMemory } from './effects/without-memory.ts';

export const sandboxProcess = defineProcess('sandbox', readConfig, async (config, { logger }) => {
  const ledger = config.ledgerPath === undefined ? noLedger : await openLedger(config.ledgerPath);
  const segments = createSegments(config.segments, config.countries);
  const faults = createFaultSwitches(config.faults);

  const receipts = config.receipts && receiptSender(config.receipts, { salt: config.salt, faults, logger });

  const service = (name: ServiceName, effects: EffectStore, successStatus: 200 | 202) =>
    createBatchService({
      onAccepted: name === 'messages' && receipts ? (users) => receipts.accepted(users) : undefined,
      name,
      salt: config.salt,
      settings: config.services[name],
      successStatus,
      effects,
      faults,
      ledger,
      segments,
      clock: systemClock,
    });

  const sandbox = createSandbox({
    host: config.host,
    port: config.port,
    segmentation: createSegmentationService(segments, config.maxLimit),
    services: {
      rewards: service('rewards', await rewardsStore(config, logger), 200),
      points: service('points', memoryOf(config, 'points'), 200),
      messages: service('messages', memoryOf(config, 'messages'), 202),
      checks: service('checks', memoryOf(config, 'checks'), 200),
    },
    faults,
    ledger,
    receipts,
    checkSignature: config.signingKey && requireSignature(config.signingKey, systemClock),
    logger,
  });
  const { host, port } = config;
  const url = await listening({ variable: 'SANDBOX_PORT', host, port }, () => sandbox.start());
  logger.info({ url, segments: config.segments }, 'sandbox is listening');
  /** Base URL `http://host:port`, with the actual port. */
  return { ...sandbox, url };
});

function receiptSender(
  { undeliveredShare, ...settings }: NonNullable<SandboxConfig['receipts']>,
  { salt, faults, logger }: { salt: string; faults: FaultSwitches; logger: Logger },
): ReceiptSender {
  const topic = topicOf(`${salt}/receipts/`);
  const undeliveredFor = (user: string) => (fractionOf(topic, user) < undeliveredShare ? 'expired' : undefined);
  return createReceiptSender({ ...settings, undeliveredFor, faults, clock: systemClock, logger });
}

async function rewardsStore(config: SandboxConfig, logger: Logger): Promise<EffectStore> {
  const { rewardsDatabase, rewardsQueries } = config;
  if (rewardsDatabase === undefined) return memoryOf(config, 'rewards');
  return await createRewardsInPostgres({ connectionString: rewardsDatabase, queries: rewardsQueries, logger });
}

function memoryOf({ services }: SandboxConfig, name: ServiceName): EffectStore {
  switch (services[name].memory) {
    case 'users':
      return createResultsByUser();
    case 'keys':
      return createAnswersByKey();
    case 'outcomes':
      return createOutcomesByUser();
    case 'none':
      return createWithoutMemory();
  }
}

if (isEntry(import.meta)) await runProcess(sandboxProcess);
