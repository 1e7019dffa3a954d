import { randomUUID } from 'node:crypto';
import { totalsSlotOf } from '../../../shared/domain/step/totals-slot.ts';
import { createHotPathPool } from '../../../shared/postgres/connection/pool.ts';
import { openSecrets } from '../../../shared/runtime/installation/action-type-secrets.ts';
import type { ApiParts } from '../frame/frame-module.ts';
import { createReceiptStore } from './postgres/receipt-store.ts';
import { createReceiptSigners } from './receipt-signers.ts';

/** What providers say became of users that they accepted. */
export function receiptsModule({
  config,
  registry,
  poolOptions,
  environment,
  logger,
  onClose,
}: Pick<ApiParts, 'config' | 'registry' | 'poolOptions' | 'environment' | 'logger' | 'onClose'>) {
  // One statement at a time, which has to keep its plan; lists are read beside it.
  const pool = onClose(createHotPathPool(poolOptions('receipts')), (opened) => opened.end());
  // Apart, so that neither receipts nor pages wait for exports. Its statements have to keep their plan, too.
  const exportPool = onClose(createHotPathPool(poolOptions('receipt-exports')), (opened) => opened.end());
  const slot = totalsSlotOf(randomUUID());
  return {
    receipts: createReceiptStore({ pool, slot }),
    heavyReceipts: createReceiptStore({ pool: exportPool, slot }),
    signers: createReceiptSigners({
      registered: () => registry.current()?.actionTypes,
      openSecret: (type) => openSecrets(type, config.secretBox).receipts,
      environment,
      logger,
    }),
  };
}
