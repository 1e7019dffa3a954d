import { v7 as uuidv7 } from 'uuid';
import type { AuditFilter, AuditLog, AuditRecord } from '../../../services/api/access/audit-log.port.ts';
import { pageOf, requireIdCursor } from '../../../services/api/frame/postgres/pages.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryAuditLog({ database }: { database: MemoryDatabase }): AuditLog {
  const { auditLog, apiKeys, clock } = database;

  return {
    record: (entry) =>
      atOnce(() => {
        const keyName = entry.apiKey === null ? null : (apiKeys.get(entry.apiKey)?.name ?? null);
        auditLog.push({ ...structuredClone(entry), keyName, auditId: uuidv7(), at: clock.now() });
      }),

    list: (filter, limit, cursor) =>
      atOnce(() => {
        requireIdCursor(cursor);
        const found = auditLog
          .filter((record) => (cursor === null || record.auditId < cursor) && isWanted(record, filter))
          .toReversed();
        return pageOf(found, limit, (record) => record.auditId);
      }),
  };
}

function isWanted(record: AuditRecord, { subject, apiKey, method, route, since, until }: AuditFilter): boolean {
  return (
    (subject === undefined || record.subject === subject) &&
    (apiKey === undefined || record.apiKey === apiKey) &&
    (method === undefined || record.method === method) &&
    (route === undefined || record.route === route) &&
    (since === undefined || record.at >= since) &&
    (until === undefined || record.at < until)
  );
}
