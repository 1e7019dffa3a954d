import { randomUUID } from 'node:crypto';
import { totalsSlotOf } from '../../../shared/domain/step/totals-slot.ts';
import { createHotPathPool } from '../../../shared/postgres/connection/pool.ts';
import { openSecrets } from '../../../shared/runtime/installation/action-type-secrets.ts';
import type { BaseParts } from '../frame/parts.ts';
import { createReceiptStore } from './postgres/receipt-store.ts';
import { createReceiptSigners } from './receipt-signers.ts';

/** Stores of receipts over connections of their own, and the secrets that receipts are signed with. */
export function createReceiptParts({ secretBox, registry, poolOptions, environment, logger, onClose }: BaseParts) {
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
      openSecret: (type) => openSecrets(type, secretBox).receipts,
      environment,
      logger,
    }),
  };
}
