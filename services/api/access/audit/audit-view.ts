import type { AuditRecordShape } from '../../../../shared/contracts/access/audit.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { changeSentence } from './change-sentences.ts';
import type { AuditRecord } from './postgres/audit-log.ts';

export function auditView({ auditId, at, apiKey, detail, ...record }: AuditRecord): AuditRecordShape {
  return {
    id: publicId('change', auditId),
    at: at.toISOString(),
    keyId: apiKey === null ? null : publicId('apiKey', apiKey),
    ...record,
    summary: changeSentence(record.method, record.route) ?? `${record.method} ${record.route}`,
    detail: { ...detail },
  };
}
