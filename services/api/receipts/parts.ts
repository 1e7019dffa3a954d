import { randomUUID } from 'node:crypto';
import { totalsSlotOf } from '../../../shared/domain/step/totals-slot.ts';
import { createHotPathPool } from '../../../shared/postgres/connection/pool.ts';
import { openSecrets } from '../../../shared/runtime/installation/action-type-secrets.ts';
import type { BaseParts } from '../frame/parts.ts';
import { createReceiptStore } from './postgres/receipt-store.ts';
import { createReceiptSigners } from './receipt-signers.ts';

/** Creates the stores of receipts, which have connections of their own, and the secrets that sign receipts. */
export function createReceiptParts({ secretBox, registry, poolOptions, environment, logger, onClose }: BaseParts) {
  // The intake runs one statement at a time. Connections of this pool keep the plans of their statements. Lists use the
  // same pool.
  const pool = onClose(createHotPathPool(poolOptions('receipts')), (opened) => opened.end());
  // Exports have a pool of their own, so that neither receipts nor pages wait for them. Its connections also keep
  // plans.
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
