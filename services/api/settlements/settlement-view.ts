import type { SettlementShape } from '../../../shared/contracts/runs/settlements.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { SettlementRecord } from './postgres/settlement-requests.ts';

export function settlementView(record: SettlementRecord): SettlementShape {
  const { counts, apiKey } = record;
  return {
    settlementId: publicId('settlement', record.settlementId),
    runId: publicId('run', record.runId),
    by: record.method,
    state: record.state,
    cause: record.cause,
    step: record.step,
    country: record.country,
    settled: { succeeded: counts.succeeded, failed: counts.failed },
    leftUnknown: counts.leftUnknown,
    rejected: counts.rejected,
    rejects: record.rejects.map(({ line, userId, rule }) => ({ line, userId, rule })),
    requestedBy: apiKey && { keyId: publicId('apiKey', apiKey.keyId), name: apiKey.name },
    createdAt: record.createdAt.toISOString(),
    endedAt: record.endedAt?.toISOString() ?? null,
  };
}
