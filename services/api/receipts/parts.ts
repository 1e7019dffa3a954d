import { randomUUID } from 'node:crypto';
import { totalsSlotOf } from '../../../shared/domain/step/totals-slot.ts';
import { createHotPathPool } from '../../../shared/postgres/connection/pool.ts';
import { openSecrets } from '../../../shared/runtime/installation/action-type-secrets.ts';
import type { BaseParts } from '../frame/parts.ts';
import { createReceiptStore } from './postgres/receipt-store.ts';
import { createReceiptSigners } from './receipt-signers.ts';

/** Stores of receipts over their own connections, and the secrets that sign receipts. */
export function createReceiptParts({ secretBox, registry, poolOptions, environment, logger, onClose }: BaseParts) {
  // The intake runs one statement at a time, which must keep its plan; lists use the same pool.
  const pool = onClose(createHotPathPool(poolOptions('receipts')), (opened) => opened.end());
  // A separate pool, so that neither receipts nor pages wait for exports. Its statements also keep their plans.
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
