import type { UserReceipt } from '../../../shared/contracts/endpoints/receipts.ts';
import type { RecordedReceipt } from './postgres/receipt-store.ts';

export function receiptView({ user, delivered, at, receivedAt, ...receipt }: RecordedReceipt): UserReceipt {
  return {
    userId: user,
    ...receipt,
    status: delivered ? 'delivered' : 'undelivered',
    at: at.toISOString(),
    receivedAt: receivedAt.toISOString(),
  };
}
