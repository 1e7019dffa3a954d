import type { AuditRecordShape } from '../../../../shared/contracts/access/audit.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { AuditRecord } from './postgres/audit-log.ts';

/**
 * Returns an entry for display.
 * @param sentences sentences by method and route; an entry of another version of Muster may have none
 */
export function auditView(
  { auditId, at, apiKey, detail, ...record }: AuditRecord,
  sentences: ReadonlyMap<string, string>,
): AuditRecordShape {
  const operation = `${record.method} ${record.route}`;
  return {
    id: publicId('change', auditId),
    at: at.toISOString(),
    keyId: apiKey === null ? null : publicId('apiKey', apiKey),
    ...record,
    summary: sentences.get(operation) ?? operation,
    detail: { ...detail },
  };
}
